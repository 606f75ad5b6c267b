! A synchronous send is cancelled, and its receiver takes the message if it comes nevertheless. Only MPI can take a message back.
! expect: kept unsupported-operation request-escapes class-member-kept
program cancelled_send
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, i, failures, total
  integer :: status(mpi_status_size)
  integer :: sent, received
  double precision :: sbuf(n), rbuf(n)
  logical :: cancelled, lost

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0

  call mpi_issend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, sent, ierr) ! trapped
  call mpi_cancel(sent, ierr) ! trapped
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, received, ierr) ! trapped
  call mpi_wait(sent, status, ierr) ! trapped
  call mpi_test_cancelled(status, cancelled, ierr)
  sbuf = -1.0d0
  ! Whether it was cancelled depends on the MPI.
  call mpi_sendrecv(cancelled, 1, mpi_logical, next, 3, lost, 1, mpi_logical, prev, 3, mpi_comm_world, &
                    mpi_status_ignore, ierr)
  if (lost) call mpi_cancel(received, ierr)
  call mpi_wait(received, mpi_status_ignore, ierr) ! trapped
  failures = 0
  if (.not. lost) then
    do i = 1, n
      if (rbuf(i) /= dble(prev + 1) * dble(mod(i, 9))) failures = failures + 1
    end do
  end if
  call mpi_reduce(failures, total, 1, mpi_integer, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(a,i0,a,i0,a)', 'ranks ', ranks, ', ', total, ' wrong elements'
  call mpi_finalize(ierr)
end program cancelled_send
