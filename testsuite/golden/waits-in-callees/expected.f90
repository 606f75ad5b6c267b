! Exchanges are procedures of their own, and so are the computations behind them: these wait for what comes. One gets its field
! by arguments of several shapes, one by a module, one is inside the main program; one is called by others, too.
! ranks: 1 2 3 4
module fields
  use mpi
  use gravel, only: gravel_request_kind, gravel_request_null
  implicit none

  integer, parameter :: rows = 120, columns = 90
  integer :: left, right
  double precision :: line(0:rows+1), sums(rows)

  type grid
    integer :: n = 0, m = 0
    double precision, allocatable :: values(:, :)
  end type grid
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_c1_advance = gravel_request_null
  integer(gravel_request_kind), public :: gravel_c1_evolve = gravel_request_null
  integer(gravel_request_kind), public :: gravel_c2_advance = gravel_request_null
  integer(gravel_request_kind), public :: gravel_c2_evolve = gravel_request_null
  integer(gravel_request_kind), public :: gravel_r1_exchange
  integer(gravel_request_kind), public :: gravel_r1_exchange_ends
  integer(gravel_request_kind), public :: gravel_r2_exchange_ends
  integer(gravel_request_kind), public :: gravel_w1_exchange
  integer(gravel_request_kind), public :: gravel_w1_exchange_ends
  integer(gravel_request_kind), public :: gravel_w2_exchange
  integer(gravel_request_kind), public :: gravel_w2_exchange_ends
  integer(gravel_request_kind), public :: gravel_w3_exchange
  integer(gravel_request_kind), public :: gravel_w3_exchange_ends
  integer(gravel_request_kind), public :: gravel_w4_exchange
  integer(gravel_request_kind), public :: gravel_w4_exchange_ends

contains

  ! One column from either side, and one to either side.
  subroutine exchange(u, n, m)
    use gravel
    integer, intent(in) :: n, m
    double precision, intent(inout) :: u(0:n+1, 0:m+1)
    integer :: requests(4), ierr

    ! gravel: posted above, was line 25: call mpi_irecv(u(0, 0), n+2, mpi_double_precision, left, 1, mpi_co...
    requests(1) = gravel_r1_exchange
    ierr = 0
    ! gravel: posted here, was line 26: call mpi_irecv(u(0, m+1), n+2, mpi_double_precision, right, 2, mpi_...
    call gravel_post_rcv_buffer_rdma(u(0, m+1), n+2, mpi_double_precision, right, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 27: call mpi_isend(u(0, 1), n+2, mpi_double_precision, left, 2...
    call gravel_post_send(u(0, 1), n+2, mpi_double_precision, left, 2, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 28: call mpi_isend(u(0, m), n+2, mpi_double_precision, right, ...
    call gravel_post_send(u(0, m), n+2, mpi_double_precision, right, 1, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 29: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    gravel_w1_exchange = requests(1)
    gravel_w2_exchange = requests(2)
    gravel_w3_exchange = requests(3)
    gravel_w4_exchange = requests(4)
  end subroutine exchange

  ! From one field to the other.
  subroutine evolve(u, w, n, m)
    use gravel
    integer, intent(in) :: n, m
    double precision, intent(in) :: u(0:n+1, 0:m+1)
    double precision, intent(inout) :: w(0:n+1, 0:m+1)
    integer :: i, j
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = m - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, for what callers have begun
          call gravel_wait(gravel_c1_evolve, u)
          call gravel_wait(gravel_c2_evolve, u)
          gravel_lo1 = 1
          gravel_hi1 = min(1, m)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, m)
          gravel_hi1 = m
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, n
           w(i, j) = u(i, j) + 0.1d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j))
         end do
       end do
    end do
  end subroutine evolve

  ! The array brings its bounds with it.
  subroutine smooth(u, w)
    double precision, intent(in) :: u(0:, 0:)
    double precision, intent(inout) :: w(0:, 0:)
    integer :: i, j

    do j = 1, ubound(u, 2) - 1
      do i = 1, ubound(u, 1) - 1
        w(i, j) = 0.5d0 * u(i, j) + 0.125d0 * (u(i, j-1) + u(i, j+1))
      end do
    end do
  end subroutine smooth

  ! The ends of a line of the module.
  subroutine exchange_ends
    use gravel
    integer :: ierr

    ! gravel: sent without waiting, was line 63: call mpi_sendrecv(line(1), 1, mpi_double_precision, left, ...
    call gravel_post_send(line(1), 1, mpi_double_precision, left, 3, mpi_comm_world, gravel_w1_exchange_ends, &
         ierr)
    gravel_w2_exchange_ends = gravel_r1_exchange_ends
    ! gravel: sent without waiting, was line 65: call mpi_sendrecv(line(rows), 1, mpi_double_precision, rig...
    call gravel_post_send(line(rows), 1, mpi_double_precision, right, 4, mpi_comm_world, &
         gravel_w3_exchange_ends, ierr)
    gravel_w4_exchange_ends = gravel_r2_exchange_ends
  end subroutine exchange_ends

  ! Sums first, which need no message; then the line.
  subroutine advance(u)
    use gravel
    double precision, intent(in) :: u(0:rows+1, 0:columns+1)
    integer :: i, j

    do i = 1, rows
      sums(i) = 0
      do j = 1, columns
        sums(i) = sums(i) + u(i, j)
      end do
    end do
    ! gravel: waits here for what callers have begun
    call gravel_wait(gravel_c1_advance, line)
    call gravel_wait(gravel_c2_advance, line)
    do i = 1, rows
      sums(i) = sums(i) + line(i-1) + line(i+1)
    end do
  end subroutine advance

end module fields

program relax
  use mpi
  use fields
  use gravel
  use fields, only: gravel_c1_advance, gravel_c1_evolve, gravel_c2_advance, gravel_c2_evolve, &
       gravel_r1_exchange, gravel_r1_exchange_ends, gravel_r2_exchange_ends, gravel_w1_exchange, &
       gravel_w1_exchange_ends, gravel_w2_exchange, gravel_w2_exchange_ends, gravel_w3_exchange, &
       gravel_w3_exchange_ends, gravel_w4_exchange, gravel_w4_exchange_ends
  implicit none

  double precision, allocatable :: u(:, :), w(:, :), v(:, :)
  double precision :: own(4), t(0:rows+1, 0:columns+1), r(0:rows+1, 0:columns+1)
  double precision, allocatable :: all(:, :)
  integer :: i, j, step, me, ranks, ierr, lines, requests(2)
  integer(gravel_request_kind) :: gravel_w1_fetch_border, gravel_w2_fetch_border, gravel_c1_add_border, &
       gravel_w1, gravel_w2
  common /gravel_1w_fetch_border/ gravel_w1_fetch_border
  common /gravel_2w_fetch_border/ gravel_w2_fetch_border
  common /gravel_1c_add_border/ gravel_c1_add_border

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = me - 1
  if (left < 0) left = mpi_proc_null
  right = me + 1
  if (right == ranks) right = mpi_proc_null
  allocate (u(0:rows+1, 0:columns+1), w(0:rows+1, 0:columns+1), v(0:rows+1, 0:columns+1), all(4, ranks))
  do j = 0, columns + 1
    do i = 0, rows + 1
      u(i, j) = mod(3 * i + 7 * j, 11) + me
      w(i, j) = u(i, j)
      v(i, j) = mod(i + j, 5) - me
      t(i, j) = mod(i - j, 4) + me
      r(i, j) = 0
    end do
  end do
  do i = 0, rows + 1
    line(i) = mod(i, 6) + me
  end do

  lines = rows - mod(ranks, 2)

  do step = 1, 4
    ! Both ways; what is not the field's own is left for a call without a message.
    ! gravel: posted early for `exchange`, was line 25 there: call mpi_irecv(u(0, 0), n+2, mpi_double_preci...
    call gravel_post_rcv_buffer_rdma(u, rows + 2, mpi_double_precision, left, 1, mpi_comm_world, &
         gravel_r1_exchange)
    call exchange(u, rows, columns)
    ! gravel: waited for below
    gravel_w1 = gravel_w3_exchange
    gravel_w2 = gravel_w4_exchange
    ! gravel: posted early for `exchange`, was line 25 there: call mpi_irecv(u(0, 0), n+2, mpi_double_preci...
    call gravel_post_rcv_buffer_rdma(w, rows + 2, mpi_double_precision, left, 1, mpi_comm_world, &
         gravel_r1_exchange)
    ! gravel: waited for in `evolve`
    gravel_c1_evolve = gravel_w1_exchange
    gravel_c2_evolve = gravel_w2_exchange
    call evolve(u, w, rows, columns)
    call exchange(w, rows, columns)
    ! gravel: waits here for what line 122 has begun: call exchange(u, rows, columns)
    call gravel_wait(gravel_w1, u)
    call gravel_wait(gravel_w2, u)
    ! gravel: waited for in `evolve`
    gravel_c1_evolve = gravel_w1_exchange
    gravel_c2_evolve = gravel_w2_exchange
    call evolve(w, u, rows, columns)
    ! gravel: waits here for what line 124 has begun: call exchange(w, rows, columns)
    call gravel_wait(gravel_w3_exchange, w)
    call gravel_wait(gravel_w4_exchange, w)
    call evolve(v, w, rows, columns)
    ! Waited for in an array that assumes its shape.
    ! gravel: posted early for `exchange`, was line 25 there: call mpi_irecv(u(0, 0), n+2, mpi_double_preci...
    call gravel_post_rcv_buffer_rdma(v, rows + 2, mpi_double_precision, left, 1, mpi_comm_world, &
         gravel_r1_exchange)
    call exchange(v, rows, columns)
    ! gravel: waits here for what line 128 has begun: call exchange(v, rows, columns)
    call gravel_wait(gravel_w1_exchange, v)
    call gravel_wait(gravel_w2_exchange, v)
    ! gravel: posted early for `exchange_ends`, was line 63 there: call mpi_sendrecv(line(1), 1, mpi_double...
    call gravel_post_rcv_buffer_rdma(line(120 + 1), 1, mpi_double_precision, right, 3, mpi_comm_world, &
         gravel_r1_exchange_ends)
    ! gravel: posted early for `exchange_ends`, was line 65 there: call mpi_sendrecv(line(rows), 1, mpi_dou...
    call gravel_post_rcv_buffer_rdma(line(0), 1, mpi_double_precision, left, 4, mpi_comm_world, &
         gravel_r2_exchange_ends)
    call smooth(v, w)
    ! By the module.
    call exchange_ends
    ! gravel: posted early, was line 137: call mpi_irecv(v(0, columns+1), rows+2, mpi_double_precision, rig...
    call gravel_post_rcv_buffer_rdma(v(0, columns+1), rows+2, mpi_double_precision, right, 5, mpi_comm_world, &
         requests(1))
    ! gravel: waited for in `advance`
    gravel_c1_advance = gravel_w2_exchange_ends
    gravel_c2_advance = gravel_w4_exchange_ends
    call advance(u)
    ! gravel: waits here for what line 131 has begun: call exchange_ends
    call gravel_wait(gravel_w1_exchange_ends, line)
    call gravel_wait(gravel_w3_exchange_ends, line)
    do i = 1, rows
      line(i) = sums(i) / columns
    end do
    ! Posted and waited for here.
    ! gravel: moved away from here, was line 137: call mpi_irecv(v(0, columns+1), rows+2, mpi_double_precis...
    ierr = 0
    ! gravel: sent without waiting, was line 138: call mpi_isend(v(0, 1), rows+2, mpi_double_precision, lef...
    call gravel_post_send(v(0, 1), rows+2, mpi_double_precision, left, 5, mpi_comm_world, requests(2), ierr)
    ! gravel: moved away from here, was line 139: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: waited for in `evolve`
    gravel_c1_evolve = requests(1)
    requests(1) = gravel_request_null
    call evolve(v, w, rows, columns)
    call fetch_border
    ! gravel: waited for in `add_border`
    gravel_c1_add_border = gravel_w1_fetch_border
    call add_border
    ! gravel: waits here for what line 141 has begun: call fetch_border
    call gravel_wait(gravel_w2_fetch_border, t)
    do j = 1, columns
      do i = 1, rows
        t(i, j) = r(i, j) + 1
      end do
    end do
    ! gravel: the wait moved here, was line 139: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(2), v)
    ! gravel: waits here for what line 128 has begun: call exchange(v, rows, columns)
    call gravel_wait(gravel_w3_exchange, v)
    call gravel_wait(gravel_w4_exchange, v)
  end do
  own(1) = sum(u)
  own(2) = sum(w)
  own(3) = sum(line)
  own(4) = sum(t) + sum(r)
  call mpi_gather(own, 4, mpi_double_precision, all, 4, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(4es24.16)', all
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  ! What the main program has, its procedures see.
  subroutine fetch_border
    use gravel
    integer :: code
    integer(gravel_request_kind) :: gravel_w1_fetch_border, gravel_w2_fetch_border
    common /gravel_1w_fetch_border/ gravel_w1_fetch_border
    common /gravel_2w_fetch_border/ gravel_w2_fetch_border

    ! gravel: receives and sends here, was line 163: call mpi_sendrecv(t(0, columns), rows+2, mpi_double_pr...
    call gravel_post_rcv_buffer_rdma(t(0, 0), rows+2, mpi_double_precision, left, 6, mpi_comm_world, &
         gravel_w1_fetch_border)
    call gravel_post_send(t(0, columns), rows+2, mpi_double_precision, right, 6, mpi_comm_world, &
         gravel_w2_fetch_border, code)
  end subroutine fetch_border

  subroutine add_border
    use gravel
    integer :: i, j
    integer(gravel_request_kind) :: gravel_c1_add_border
    integer :: gravel_lo1, gravel_hi1, gravel_part1
    common /gravel_1c_add_border/ gravel_c1_add_border

    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = columns - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, for what callers have begun
          call gravel_wait(gravel_c1_add_border, t)
          gravel_lo1 = 1
          gravel_hi1 = min(1, columns)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, columns)
          gravel_hi1 = columns
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, lines
           r(i, j) = 0.5d0 * t(i, j) + 0.25d0 * t(i, j-1)
         end do
       end do
    end do
  end subroutine add_border

end program relax
