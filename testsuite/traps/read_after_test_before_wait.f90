! What a test has brought is read, and written, long before the wait that the request has, too; then the buffer is received
! into once more. That receive stays below, and the first wait finds nothing to do.
! expect: without hoist-receive
program read_after_test_before_wait
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n)
  integer :: receive, send, step
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
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, receive, ierr)
    call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send, ierr)
    has_come = .false.
    do while (.not. has_come)
      call mpi_test(receive, has_come, mpi_status_ignore, ierr)
    end do
    do i = 1, n
      rbuf(i) = rbuf(i) * 0.5d0 + dble(step)
    end do
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
    call mpi_wait(send, mpi_status_ignore, ierr)
    call mpi_wait(receive, mpi_status_ignore, ierr)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, receive, ierr) ! trapped
    call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, send, ierr)
    call mpi_wait(send, mpi_status_ignore, ierr)
    call mpi_wait(receive, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum - rbuf(i) * dble(mod(i, 5))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program read_after_test_before_wait
