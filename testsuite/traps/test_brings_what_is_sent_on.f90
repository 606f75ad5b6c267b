! What the test of one receive brings is sent on by another class, whose receive is posted early.
! expect: handled
program test_brings_what_is_sent_on
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: more(2)
  double precision :: sbuf(n), rbuf(n), other(n)
  double precision :: checksum, checksums(max_ranks)
  integer :: requests(2), onward(2)
  integer :: status(mpi_status_size)
  logical :: is_complete

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
  is_complete = .false.
  do while (.not. is_complete)
    call mpi_test(requests(1), is_complete, status, ierr)
  end do
  call mpi_wait(requests(2), status, ierr)
  do i = 1, n
    sbuf(i) = rbuf(i) + 1.0d0
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 3, mpi_comm_world, onward(1), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 3, mpi_comm_world, onward(2), ierr) ! trapped
  call mpi_waitall(2, onward, mpi_statuses_ignore, ierr)
  call mpi_irecv(other, n, mpi_double_precision, prev, 2, mpi_comm_world, more(1), ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, more(2), ierr)
  call mpi_waitall(2, more, mpi_statuses_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + other(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program test_brings_what_is_sent_on
