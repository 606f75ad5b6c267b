! The program's own handler of errors ends the program, but for one error, which it counts: there the program goes on.
! expect: kept error-handler
program error_handler_returns
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: request, handler, handled
  double precision :: sbuf(n), rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  handled = 0
  call mpi_comm_create_errhandler(handle, handler, ierr)
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)
  sbuf = dble(rank + 1)
  rbuf = 0.0d0
  work = 0.0d0
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_recv(rbuf, n / 2, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  do i = 1, n
    work = work + dble(mod(i, 7) * handled)
  end do
  call mpi_wait(request, status, ierr) ! trapped
  checksum = work + dble(handled)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine handle(comm, code)
    integer :: comm, code, class, ierr

    call mpi_error_class(code, class, ierr)
    if (class == mpi_err_truncate) then
      handled = handled + 1
      return
    end if
    call mpi_abort(comm, 1, ierr)
  end subroutine handle

end program error_handler_returns
