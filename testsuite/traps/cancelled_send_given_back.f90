! Sends are cancelled, and their memory is written: behind a wait, whose message is long, and behind the release of the
! request, where the memory is deallocated. The message comes as it was sent, if it comes.
! expect: handled
! ranks: 2 4
program cancelled_send_given_back
  use mpi
  implicit none

  integer, parameter :: n = 20000, m = 8
  integer :: ierr, rank, ranks, next, prev, i, failures, total
  integer :: status(mpi_status_size)
  integer :: sent, received, freed
  double precision :: sbuf(n), rbuf(n), short(m)
  double precision, allocatable :: given(:)
  logical :: cancelled, lost, arrived

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  failures = 0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0

  call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, sent, ierr) ! trapped
  call mpi_cancel(sent, ierr) ! trapped
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, received, ierr) ! trapped
  call mpi_wait(sent, status, ierr) ! trapped
  call mpi_test_cancelled(status, cancelled, ierr)
  sbuf = -1.0d0
  ! Whether it was cancelled depends on the MPI.
  call mpi_sendrecv(cancelled, 1, mpi_logical, next, 3, lost, 1, mpi_logical, prev, 3, mpi_comm_world, &
                    mpi_status_ignore, ierr)
  if (lost) call mpi_cancel(received, ierr) ! trapped
  call mpi_wait(received, mpi_status_ignore, ierr) ! trapped
  if (.not. lost) then
    do i = 1, n
      if (rbuf(i) /= dble(prev + 1) * dble(mod(i, 9))) failures = failures + 1
    end do
  end if

  allocate (given(m))
  given = dble(rank + 1)
  call mpi_isend(given, m, mpi_double_precision, next, 4, mpi_comm_world, freed, ierr) ! trapped
  call mpi_cancel(freed, ierr) ! trapped
  call mpi_request_free(freed, ierr) ! trapped
  given = -1.0d0
  deallocate (given)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_iprobe(prev, 4, mpi_comm_world, arrived, status, ierr) ! trapped
  if (arrived) then
    call mpi_recv(short, m, mpi_double_precision, prev, 4, mpi_comm_world, status, ierr) ! trapped
    if (any(short /= dble(prev + 1))) failures = failures + 1
  end if
  call mpi_reduce(failures, total, 1, mpi_integer, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(a,i0,a,i0,a)', 'ranks ', ranks, ', ', total, ' wrong elements'
  call mpi_finalize(ierr)
end program cancelled_send_given_back
