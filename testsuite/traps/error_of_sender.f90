! Errors return. Of a message that is too long only the receiver gets an error: the wait for the send is told of none.
! expect: handled
program error_of_sender
  use mpi
  implicit none

  integer, parameter :: n = 200000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: sending, receiving, requests(2), statuses(mpi_status_size, 2), code, class
  double precision :: sbuf(n), rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0
  work = 0.0d0
  call mpi_irecv(rbuf, n / 2, mpi_double_precision, prev, 1, mpi_comm_world, receiving, ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, sending, ierr) ! trapped
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_wait(sending, status, code) ! trapped
  checksum = work
  if (code == mpi_success) checksum = checksum + 1.0d0
  call mpi_wait(receiving, status, code) ! trapped
  call mpi_error_class(code, class, ierr)
  if (class == mpi_err_truncate) checksum = checksum + 2.0d0
  ! The same, in one call.
  call mpi_irecv(rbuf, n / 2, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_waitall(2, requests, statuses, code) ! trapped
  call mpi_error_class(code, class, ierr)
  if (class == mpi_err_in_status) checksum = checksum + 4.0d0
  checksum = checksum + work

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_of_sender
