! Nothing can be written in front of MPI_Finalize, which ends the runtime by itself.
program finalize_shares_a_line
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, request, i
  double precision :: a(n), b(n), c(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  if (ranks > max_ranks) then; call mpi_finalize(ierr); stop; end if
  call mpi_irecv(b, n, mpi_double_precision, mod(rank + ranks - 1, ranks), 1, mpi_comm_world, request, ierr)
  do i = 1, n
    a(i) = i + rank
  end do
  call mpi_send(a, n, mpi_double_precision, mod(rank + 1, ranks), 1, mpi_comm_world, ierr)
  do i = 1, n
    c(i) = 0.25d0 * i
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = 0
  do i = 1, n
    checksum = checksum + b(i) * c(i)
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr); stop
end program
