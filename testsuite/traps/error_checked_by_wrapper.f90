! Errors return, and the procedure that receives looks at the code: it does more than to receive.
! expect: handled
program error_checked_by_wrapper
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: request, failures
  double precision :: sbuf(n), rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  failures = 0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0
  work = 0.0d0
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr) ! trapped
  call take(rbuf, n / 2)
  do i = 1, n
    work = work + sqrt(dble(i)) * dble(1 + failures)
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

contains

  subroutine take(buffer, length)
    integer, intent(in) :: length
    double precision :: buffer(length)
    integer :: code

    call mpi_recv(buffer, length, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, code)
    if (code /= mpi_success) failures = failures + 1
  end subroutine take

end program error_checked_by_wrapper
