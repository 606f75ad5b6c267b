! Persistent synchronous sends: described once, started in every step, and waited for below the work.
program persistent
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, left, right, step, i
  integer :: requests(2), statuses(mpi_status_size, 2)
  double precision :: outgoing(n), incoming(n), field(n), checksum, total

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  ! gravel: described once, for each start, was line 19: call mpi_ssend_init(outgoing, n, mpi_double_precis...
  call gravel_prepare_send_synchronous(outgoing, n, mpi_double_precision, right, 1, mpi_comm_world, &
       requests(1), ierr)
  ! gravel: described once, for each start, was line 20: call mpi_recv_init(incoming, n, mpi_double_precisi...
  call gravel_prepare_receive(incoming, n, mpi_double_precision, left, 1, mpi_comm_world, requests(2), ierr)
  do step = 1, 4
    outgoing = field
    ! gravel: started here, was line 23: call mpi_startall(2, requests, ierr)
    call gravel_f_sync_reg(outgoing)
    call gravel_f_sync_reg(incoming)
    call gravel_startall(2, requests, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + dble(step)
    end do
    ! gravel: waits here, was line 27: call mpi_waitall(2, requests, statuses, ierr)
    call gravel_wait(requests(2), incoming, statuses(:, 2), ierr)
    do i = 1, n
      field(i) = field(i) + incoming(i) * 0.25d0
    end do
    ! gravel: the wait moved here, was line 27: call mpi_waitall(2, requests, statuses, ierr)
    call gravel_wait(requests(1), outgoing, statuses(:, 1))
  end do
  ! gravel: released here, was line 32: call mpi_request_free(requests(1), ierr)
  call gravel_release(requests(1), ierr)
  ! gravel: released here, was line 33: call mpi_request_free(requests(2), ierr)
  call gravel_release(requests(2), ierr)
  checksum = sum(field)
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program persistent
