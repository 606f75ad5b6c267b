! The wait for one message stands above a test for another one, whose answer depends on when it is asked: the wait keeps its
! place, however much work there is below the test.
! expect: without sink-wait split-loop strip-mine-consumer
program receive_wait_above_test
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), first(n), second(n), inner(n)
  integer :: one, other, sends(2), tests
  logical :: has_come
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    inner(i) = dble(i)
  end do
  call mpi_irecv(first, n, mpi_double_precision, prev, 1, mpi_comm_world, one, ierr)
  call mpi_irecv(second, n, mpi_double_precision, prev, 2, mpi_comm_world, other, ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, sends(1), ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, sends(2), ierr)
  call mpi_wait(one, mpi_status_ignore, ierr) ! trapped
  call mpi_test(other, has_come, mpi_status_ignore, ierr)
  do i = 1, n
    inner(i) = inner(i) * 0.5d0 + 3.0d0
  end do
  tests = 0
  do while (.not. has_come)
    call mpi_test(other, has_come, mpi_status_ignore, ierr)
    tests = tests + 1
  end do
  call mpi_waitall(2, sends, mpi_statuses_ignore, ierr)
  do i = 1, n
    checksum = checksum + first(i) * dble(mod(i, 7)) + second(i) * dble(mod(i, 5)) + inner(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program receive_wait_above_test
