! Errors return, and the program looks at the code of a receive whose buffer is too short.
! expect: without sink-wait
program error_handler
  use mpi
  implicit none

  integer, parameter :: n = 100
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, send_request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: class, code
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
  do i = 1, n
    rbuf(i) = 0.0d0
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send_request, ierr) ! trapped
  call mpi_recv(rbuf, n / 2, mpi_double_precision, prev, 1, mpi_comm_world, status, code) ! trapped
  call mpi_error_class(code, class, ierr)
  checksum = 0.0d0
  if (class == mpi_err_truncate) checksum = 1.0d0
  call mpi_wait(send_request, status, ierr) ! trapped

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_handler
