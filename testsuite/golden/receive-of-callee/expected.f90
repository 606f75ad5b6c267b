! What comes from the left is received at the beginning of procedures that go on with it. Their callers have work to do before
! they call them.
module pipeline
  use mpi
  use gravel, only: gravel_request_kind
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, me, others, left, sending
  double precision :: inflow(n), total
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_r1_pass
  integer(gravel_request_kind), public :: gravel_r1_pass_if_any
  integer(gravel_request_kind), public :: gravel_r1_pass_requested

contains

  subroutine start_pipeline()
    call mpi_comm_rank(mpi_comm_world, me, ierr)
    call mpi_comm_size(mpi_comm_world, others, ierr)
    left = modulo(me - 1, others)
    total = 0.0d0
    sending = mpi_request_null
  end subroutine start_pipeline

  ! From the module's variable and with the caller's factor.
  subroutine pass(tag, factor)
    use gravel
    integer, intent(in) :: tag
    double precision, intent(in) :: factor
    integer :: i

    ! gravel: waits here, was line 27: call mpi_recv(inflow, n, mpi_double_precision, left, tag, mpi_comm_w...
    call gravel_wait(gravel_r1_pass, inflow, ierr)
    ! gravel: the argument stays, for those who call
    call gravel_f_sync_reg(tag)
    do i = 1, n
      total = total + factor * inflow(i)
    end do
  end subroutine pass

  ! Into the caller's array; the first process has no neighbour.
  subroutine pass_if_any(b, m)
    use gravel
    integer, intent(in) :: m
    double precision, intent(inout) :: b(m)
    integer :: i

    if (me > 0) then
      ! gravel: waits here, was line 40: call mpi_recv(b, m, mpi_double_precision, me - 1, 3, mpi_comm_worl...
      call gravel_wait(gravel_r1_pass_if_any, b, ierr)
    end if
    do i = 1, m
      total = total + b(i)
    end do
  end subroutine pass_if_any

  ! The program's own request.
  subroutine pass_requested(b)
    use gravel
    double precision, intent(inout) :: b(n)
    integer :: request, i

    ! gravel: posted above, was line 52: call mpi_irecv(b, n, mpi_double_precision, left, 4, mpi_comm_world...
    request = gravel_r1_pass_requested
    ierr = 0
    do i = 1, n
      total = total + 1.0d-3 * mod(i, 3)
    end do
    ! gravel: waits here, was line 56: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, b, ierr)
    do i = 1, n
      total = total - b(i)
    end do
  end subroutine pass_requested

end module pipeline

program receive_of_callee
  use mpi, only: mpi_init, mpi_finalize
  use pipeline, only: start_pipeline, pass, pass_if_any, pass_requested, total
  use gravel
  use mpi, only: mpi_comm_world, mpi_double_precision
  use pipeline, only: gravel_r1_pass, gravel_r1_pass_if_any, gravel_r1_pass_requested, inflow, left, me
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, i, round
  double precision :: work(n), b(n), c(n, 2)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init()
  call start_pipeline()
  b = 1.0d0
  c = 2.0d0
  do round = 1, 3
    call put(n, 2 * round, work, 1)
    ! gravel: posted early for `pass`, was line 27 there: call mpi_recv(inflow, n, mpi_double_precision, le...
    call gravel_post_rcv_buffer_rdma(inflow, 30000, mpi_double_precision, left, 2 * round, mpi_comm_world, &
         gravel_r1_pass)
    do i = 1, n
      work(i) = sqrt(dble(i + round))
    end do
    call pass(2 * round, 0.5d0)

    call put(n - 1, 3, work, 0)
    ! gravel: posted early for `pass_if_any`, was line 40 there: call mpi_recv(b, m, mpi_double_precision, ...
    if (me > 0) call gravel_post_rcv_buffer_rdma(b, n - 1, mpi_double_precision, me - 1, 3, mpi_comm_world, &
         gravel_r1_pass_if_any)
    do i = 1, n
      work(i) = work(i) + sin(dble(i))
    end do
    call pass_if_any(b, n - 1)

    call put(n, 4, work, 1)
    if (round > 1) then
      ! gravel: posted early for `pass_requested`, was line 52 there: call mpi_irecv(b, n, mpi_double_preci...
      call gravel_post_rcv_buffer_rdma(c(1, 2), 30000, mpi_double_precision, left, 4, mpi_comm_world, &
           gravel_r1_pass_requested)
      do i = 1, n
        work(i) = work(i) + cos(dble(i))
      end do
      call pass_requested(c(1, 2))
    else
      ! gravel: posted early for `pass_requested`, was line 52 there: call mpi_irecv(b, n, mpi_double_preci...
      call gravel_post_rcv_buffer_rdma(c, 30000, mpi_double_precision, left, 4, mpi_comm_world, &
           gravel_r1_pass_requested)
      call pass_requested(c)
    end if
  end do
  call put(0, 0, work, 0)
  call report(total + sum(work))
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  ! Sends to the right, when what was sent before has left; without wrapping around, the last process keeps what it has.
  subroutine put(m, tag, from, around)
    use mpi
    use pipeline
    use gravel
    integer, intent(in) :: m, tag, around
    double precision, intent(in) :: from(:)
    double precision, save :: copy(30000)
    integer :: rank, ranks, k
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    ! gravel: waits here, was line 115: call mpi_wait(sending, mpi_status_ignore, ierr)
    call gravel_wait(sending, copy, ierr)
    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    ! gravel: one handshake, a put per tile, was line 122: call mpi_isend(copy, m, mpi_double_precision, mo...
    gravel_t1 = gravel_transfer_null
    if (m > 0 .and. (around == 1 .or. rank < ranks - 1)) call gravel_wait_rcv_buffer(copy, m, &
         mpi_double_precision, modulo(rank + 1, ranks), tag, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, m)
    do gravel_lo1 = 1, m, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, m - gravel_lo1)
       do k = gravel_lo1, gravel_hi1
         copy(k) = rank + 0.25d0 * mod(k + tag, 17) + 0.0d0 * from(1)
       end do
       call gravel_post_os_put(gravel_t1, copy, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    if (m > 0 .and. (around == 1 .or. rank < ranks - 1)) then
      ! gravel: sent tile by tile above, was line 122: call mpi_isend(copy, m, mpi_double_precision, modulo...
      call gravel_send_fin(gravel_t1, sending, ierr)
    end if
  end subroutine put

  subroutine report(value)
    use mpi
    double precision, intent(in) :: value
    double precision :: values(16)
    integer :: rank, ranks, r

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    call mpi_gather(value, 1, mpi_double_precision, values, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    if (rank == 0) then
      do r = 1, ranks
        write (*, '(a,i3,a,es24.16)') 'rank', r - 1, ': ', values(r)
      end do
    end if
  end subroutine report

end program receive_of_callee
