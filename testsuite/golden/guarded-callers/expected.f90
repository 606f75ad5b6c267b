! A chain of processes: all but the first receive what the one below has made, in a procedure that is called under that
! condition, and in a branch that works out first who that is. What goes around among all of them is
! filled and read by loops that count from 3 on.
module chain
  use mpi
  use gravel, only: gravel_request_kind
  implicit none
  integer, parameter :: n = 30000
  integer :: ierr, me, others
  double precision :: inflow(n), total
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_r1_take

contains

  subroutine take(tag, factor)
    use gravel
    integer, intent(in) :: tag
    double precision, intent(in) :: factor
    integer :: i

    ! gravel: waits here, was line 18: call mpi_recv(inflow, n, mpi_double_precision, me - 1, tag, mpi_comm...
    call gravel_wait(gravel_r1_take, inflow, ierr)
    ! gravel: the argument stays, for those who call
    call gravel_f_sync_reg(tag)
    do i = 1, n
      total = total + factor * inflow(i)
    end do
  end subroutine take

end module chain

program guarded_callers
  use mpi
  use chain
  use gravel
  use chain, only: gravel_r1_take
  implicit none
  integer, parameter :: max_ranks = 16
  integer :: i, round, below, request
  double precision :: work(n), outgoing(n), later(n), next(n + 2), checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s3
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t3
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_hi1, gravel_hi2, gravel_hi3, gravel_step1, &
       gravel_step2, gravel_step3

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, others, ierr)
  total = 0.0d0
  later = 0.0d0
  next = 0.0d0
  do round = 1, 3
    request = mpi_request_null
    ! gravel: posted early for `take`, was line 18 there: call mpi_recv(inflow, n, mpi_double_precision, me...
    if (me > 0) call gravel_post_rcv_buffer_rdma(inflow, 30000, mpi_double_precision, me - 1, 2, &
         mpi_comm_world, gravel_r1_take)
    ! gravel: one handshake, a put per tile, was line 45: call mpi_isend(outgoing, n, mpi_double_precision,...
    gravel_t1 = gravel_transfer_null
    if (me < others - 1) call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, me + 1, 2, &
         mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = me + 0.25d0 * mod(i + round, 17)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 45: call mpi_isend(outgoing, n, mpi_double_precision, me + ...
    if (me < others - 1) call gravel_send_fin(gravel_t1, request, ierr)
    do i = 1, n
      work(i) = sqrt(dble(i + round))
    end do
    if (me > 0) call take(2, 0.5d0)
    ! gravel: null where the branch below is not taken
    gravel_r1 = gravel_request_null
    ! gravel: posted early, was line 58: call mpi_recv(later, n, mpi_double_precision, below, 3, mpi_comm_w...
    if (me > 0) call gravel_post_rcv_buffer_rdma(later, n, mpi_double_precision, me - 1, 3, mpi_comm_world, &
         gravel_r1)
    ! gravel: waits here, was line 50: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, outgoing, ierr)

    ! gravel: sent without waiting, was line 52: call mpi_isend(work, n, mpi_double_precision, me + 1, 3, m...
    if (me < others - 1) call gravel_post_send(work, n, mpi_double_precision, me + 1, 3, mpi_comm_world, &
         request, ierr)
    do i = 1, n
      total = total + 1.0d-3 * mod(i, 3)
    end do
    if (me > 0) then
      below = me - 1
      ! gravel: moved away from here, was line 58: call mpi_recv(later, n, mpi_double_precision, below, 3, ...
      ierr = 0
    end if
    ! gravel: waits here, was line 60: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, work, ierr)
    ! gravel: the wait moved here, was line 58: call mpi_recv(later, n, mpi_double_precision, below, 3, mpi...
    call gravel_wait(gravel_r1, later)

    ! gravel: posted here, was line 62: call mpi_irecv(inflow, n, mpi_double_precision, modulo(me - 1, othe...
    call gravel_post_rcv_segments(inflow, n, mpi_double_precision, modulo(me - 1, others), 4, mpi_comm_world, &
         request, ierr)
    ! gravel: one handshake, a put per tile, was line 66: call mpi_send(outgoing, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, modulo(me + 1, others), 4, mpi_comm_world, &
         gravel_t3)
    gravel_step2 = gravel_tile(gravel_t3, (n + 2) - 3 + 1)
    do gravel_lo2 = 3, n + 2, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, (n + 2) - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         outgoing(i - 2) = next(i) + later(i - 2) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t3, outgoing, gravel_lo2 - 3, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: sent tile by tile above, was line 66: call mpi_send(outgoing, n, mpi_double_precision, modulo...
    call gravel_send_fin(gravel_t3, gravel_s3, ierr)
    ! gravel: moved away from here, was line 67: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 67: call mpi_wait(request, mpi_status_ignore, i...
    gravel_step3 = gravel_tile(request, (n + 2) - 3 + 1)
    if (gravel_step3 >= (n + 2) - 3 + 1) call gravel_wait(request, inflow)
    do gravel_lo3 = 3, n + 2, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, (n + 2) - gravel_lo3)
       if (gravel_step3 < (n + 2) - 3 + 1) call gravel_wait_range(request, inflow, 0, gravel_hi3 - 2)
       do i = gravel_lo3, gravel_hi3
         next(i) = next(i) * 0.5d0 + inflow(i - 2)
       end do
    end do
    if (gravel_step3 < (n + 2) - 3 + 1) call gravel_wait(request, inflow)
    ! gravel: the wait moved here, was line 66: call mpi_send(outgoing, n, mpi_double_precision, modulo(me ...
    call gravel_wait(gravel_s3, outgoing)
  end do
  total = total + sum(next) + sum(work)
  call mpi_gather(total, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:others)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program guarded_callers
