! The error variable of a receive is read and written by the work above it: a receive that is posted
! there would destroy it.
! expect: handled
program error_variable_in_between
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, send_request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: work
  integer :: m
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send_request, ierr)
  m = 7
  work = 0.0d0
  do i = 1, n
    m = mod(m * 3 + 1, 1000)
    work = work + dble(m)
  end do
  work = work + dble(m)
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, status, m) ! trapped
  if (m == mpi_success) work = work + 0.5d0
  call mpi_wait(send_request, status, ierr)
  checksum = work
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_variable_in_between
