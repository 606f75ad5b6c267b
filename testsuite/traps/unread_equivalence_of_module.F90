! What is received is another variable of its module: one EQUIVALENCE stands under a condition that depends on a flag, and names the
! received array and a third one; the other names the third one and the field.
! expect: kept
module shared
  implicit none

  integer, parameter :: n = 100000
  double precision :: received(n), between(n), field(n)
#ifndef APART
  equivalence (between, received)
#endif
  equivalence (between, field)

end module shared

program unread_equivalence_of_module
  use mpi
  use shared
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, request
  double precision :: outgoing(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    outgoing(i) = dble(mod(i, 9) + rank)
  end do
  checksum = 0.0d0
  do i = 1, n
    field(i) = outgoing(i)*0.5d0
    checksum = checksum + sqrt(field(i))
  end do
  call mpi_irecv(received, n, mpi_double_precision, modulo(rank - 1, ranks), 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(outgoing, n, mpi_double_precision, modulo(rank + 1, ranks), 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    checksum = checksum + sqrt(field(i))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program unread_equivalence_of_module
