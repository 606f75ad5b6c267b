! A status has a form that MPI's interfaces do not have, and could be left out if nobody looked at it: somebody does, by the name of
! the array that it moves to.
! expect: kept unsupported-operation
program status_moved_to_another_array
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, step, request
  integer, allocatable :: status(:, :), kept(:, :)
  double precision :: a(n), b(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  checksum = 0.0d0
  do step = 1, 3
    allocate (status(mpi_status_size, 2))
    call mpi_irecv(b, n, mpi_double_precision, mpi_any_source, step, mpi_comm_world, request, ierr)
    do i = 1, n
      a(i) = rank + 0.5d0 * mod(i * step, 13)
    end do
    call mpi_send(a, n, mpi_double_precision, mod(rank + 1, ranks), step, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr) ! trapped
    call move_alloc(status, kept)
    do i = 1, n
      checksum = checksum + b(i) * kept(mpi_source, 1)
    end do
    deallocate (kept)
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(i0, a, es24.16)') i - 1, ': ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program status_moved_to_another_array
