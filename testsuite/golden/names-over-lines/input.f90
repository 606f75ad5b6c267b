! Names and numbers that go on on the next line, as programs that write programs make them: in calls of MPI, in the loops that fill
! and read their messages, with comments between their parts.
program names_over_lines
  use mpi
  implicit none

  integer, parameter :: elements = 20000, max_ranks = 16
  integer :: ierr, rank, ranks, requ&
    &est, i, left, right
  double precision :: outgoing(elements), incoming(elements), inner(elements), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank + ranks - 1, ranks); right = mod(rank + 1, ranks)
  call mpi_ir&
    &ecv(incoming, elements, mpi_double_prec& ! of eight bytes
    ! and no more
    &ision, left, 1, mpi_comm_world, request, ierr)
  do i = 1, elem&
    &ents
    outgoing(i) = rank + 0.2&
      &5d0 * mod(i, 1&
      &7)
  end do
  call mpi_send(outgoing, elements, mpi_double_precision, right, 1, mpi_comm_wo&
    &rld, ierr)
  do i = 1, elements
    inner(i) = 0.5d0 * i
  end do
  call mpi_wait(requ&
    &est, mpi_status_ignore, ierr)
  checksum = 0.0d0
  do i = 1, elements
    checksum = checksum + incoming(i) + inner(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program names_over_lines
