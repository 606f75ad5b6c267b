! Errors return on a communicator that is made of one with that handler, not on that of all processes. The procedure that looks at codes
! is not the one that sets the handler.
! expect: without sink-wait
program error_handler_of_another
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: request, first, second
  double precision :: sbuf(n), rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  call mpi_comm_dup(mpi_comm_world, first, ierr)
  call let_return(first)
  call mpi_comm_dup(first, second, ierr)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0
  work = 0.0d0
  checksum = 0.0d0
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, second, request, ierr)
  call take(second, n / 2)
  call mpi_wait(request, status, ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call take(mpi_comm_world, n)
  call mpi_wait(request, status, ierr)
  checksum = checksum + work

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine let_return(comm)
    integer, intent(in) :: comm
    integer :: handler, ierr

    handler = mpi_errors_return
    call mpi_comm_set_errhandler(comm, handler, ierr)
  end subroutine let_return

  subroutine take(comm, length)
    integer, intent(in) :: comm, length
    integer :: code, class, ierr, i

    call mpi_recv(rbuf, length, mpi_double_precision, prev, 1, comm, status, code) ! trapped
    do i = 1, n
      work = work + sqrt(dble(i))
    end do
    call mpi_error_class(code, class, ierr)
    if (class == mpi_err_truncate) checksum = checksum + 1.0d0
    if (class == mpi_success) checksum = checksum + 2.0d0
  end subroutine take

end program error_handler_of_another
