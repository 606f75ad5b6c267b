! Errors return for one receive alone, and nobody looks at its code: neither may it be posted above the call that sets the handler, nor
! waited for below the one that makes errors fatal again.
! expect: without hoist-receive sink-wait
program error_handler_set_back
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: request, handler
  double precision :: sbuf(n), rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  sbuf = dble(rank + 1)
  rbuf = 0.0d0
  work = 0.0d0
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_comm_get_errhandler(mpi_comm_world, handler, ierr)
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  call mpi_recv(rbuf, n / 2, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_recv(rbuf, n, mpi_double_precision, ranks, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_wait(request, status, ierr)
  checksum = work

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_handler_set_back
