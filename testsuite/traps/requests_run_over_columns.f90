! The wait for all begins with an element in the middle of a column and goes on in the next ones, to where the array's rank says
! nothing: what it completes is not what lies in its column.
! expect: handled
program requests_run_over_columns
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000, max_ranks = 16
  integer :: requests(2, 2, 2), ierr, rank, ranks, next, prev, i, step
  double precision :: first(n), second(n), outgoing(n), work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  work = 1.0d0
  checksum = 0.0d0
  requests = mpi_request_null
  do step = 1, 3
    outgoing = dble(rank + step)
    call mpi_irecv(first, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(2, 1, 1), ierr)
    call mpi_irecv(second, n, mpi_double_precision, prev, 2, mpi_comm_world, requests(1, 1, 2), ierr)
    call mpi_send(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    outgoing = dble(rank + 2*step)
    call mpi_send(outgoing, n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    do i = 1, n
      work(i) = sqrt(work(i) + dble(i))
    end do
    call mpi_waitall(4, requests(2, 1, 1), mpi_statuses_ignore, ierr)
    ! The message fills what the wait has completed.
    outgoing = dble(rank + 3*step)
    call mpi_isend(outgoing, n, mpi_double_precision, next, 3, mpi_comm_world, requests(1, 1, 1), ierr)
    call mpi_recv(second, n, mpi_double_precision, prev, 3, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    call mpi_wait(requests(1, 1, 1), mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + first(i)*dble(mod(i, 7)) + second(i)*work(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program requests_run_over_columns
