! Variables that a procedure imports by name only for calls that its callers make in its place.
! ranks: 2 3
module fields
  implicit none
  integer, parameter :: n = 30000
  integer :: previous, next
  double precision :: sent(n), received(n), other(n)
end module fields

program imported_variables
  use mpi
  use fields
  use gravel
  implicit none
  integer :: ierr, rank, processes, i, step
  double precision :: sums(2)
  integer(gravel_request_kind) :: gravel_r1_exchange, gravel_w1_exchange, gravel_w2_exchange
  common /gravel_1_exchange/ gravel_r1_exchange
  common /gravel_1w_exchange/ gravel_w1_exchange
  common /gravel_2w_exchange/ gravel_w2_exchange

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  next = mod(rank + 1, processes)
  previous = mod(rank + processes - 1, processes)
  do step = 1, 3
    ! gravel: posted early for `exchange`, was line 44 there: call mpi_irecv(received, n, mpi_double_precis...
    call gravel_post_rcv_buffer_rdma(received, 30000, mpi_double_precision, previous, 1, mpi_comm_world, &
         gravel_r1_exchange)
    do i = 1, n
      sent(i) = dble(rank + step) * dble(mod(i, 11))
    end do
    call exchange
    do i = 1, n
      other(i) = dble(mod(i, 7)) * dble(step)
    end do
    ! gravel: waits here for what line 26 has begun: call exchange
    call gravel_wait(gravel_w1_exchange, received)
    sums = [sum(received) * (rank + 1), sum(other)]
    ! gravel: waits here for what line 26 has begun: call exchange
    call gravel_wait(gravel_w2_exchange, sent)
    call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
    if (rank == 0) print '(i0, 2(1x, f14.1))', step, sums
  end do
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program imported_variables

subroutine exchange
  use mpi
  use fields, only: n, sent
  use fields, only: next
  use gravel
  implicit none
  integer :: requests(2), ierr
  integer(gravel_request_kind) :: gravel_r1_exchange, gravel_w1_exchange, gravel_w2_exchange
  common /gravel_1_exchange/ gravel_r1_exchange
  common /gravel_1w_exchange/ gravel_w1_exchange
  common /gravel_2w_exchange/ gravel_w2_exchange
  ! gravel: posted above, was line 44: call mpi_irecv(received, n, mpi_double_precision, from, 1, mpi_comm_...
  requests(1) = gravel_r1_exchange
  ierr = 0
  ! gravel: sent without waiting, was line 45: call mpi_isend(sent, n, mpi_double_precision, next, 1, mpi_c...
  call gravel_post_send(sent, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
  ! gravel: moved away from here, was line 46: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  ierr = 0
  gravel_w1_exchange = requests(1)
  gravel_w2_exchange = requests(2)
end subroutine exchange
