! Errors return, and the message is longer than its receive. The code is looked at only below work, where a wait that has moved
! down would not have stored it yet.
! expect: without sink-wait
program error_of_late_wait
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: request, code, class
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
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(rbuf, n / 2, mpi_double_precision, prev, 1, mpi_comm_world, status, code) ! trapped
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  class = 0
  if (code /= mpi_success) call mpi_error_class(code, class, ierr)
  call mpi_wait(request, status, ierr)
  checksum = work
  if (class == mpi_err_truncate) checksum = checksum + 1.0d0

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_of_late_wait
