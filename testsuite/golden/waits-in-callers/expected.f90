! Exchanges are procedures of their own, which end with their waits; their callers have work behind the calls. One leaves early,
! one is called under a condition, some are called one after the other, one gets an object, one knows its buffer by a module.
! ranks: 1 2 3 4
module halos
  use mpi
  use gravel, only: gravel_request_kind, gravel_request_null
  implicit none

  integer, parameter :: n = 300, m = 80
  integer :: left, right
  double precision :: border(n)

  type field
    integer :: n = 0, m = 0
    double precision, allocatable :: values(:, :)
  end type field
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_c1_exchange_lines = gravel_request_null
  integer(gravel_request_kind), public :: gravel_r1_fetch_border
  integer(gravel_request_kind), public :: gravel_r2_exchange_ends
  integer(gravel_request_kind), public :: gravel_w1_exchange_columns
  integer(gravel_request_kind), public :: gravel_w1_exchange_ends
  integer(gravel_request_kind), public :: gravel_w1_exchange_object
  integer(gravel_request_kind), public :: gravel_w1_fetch_border
  integer(gravel_request_kind), public :: gravel_w2_exchange_columns
  integer(gravel_request_kind), public :: gravel_w2_exchange_ends
  integer(gravel_request_kind), public :: gravel_w2_exchange_object
  integer(gravel_request_kind), public :: gravel_w2_fetch_border
  integer(gravel_request_kind), public :: gravel_w3_exchange_columns
  integer(gravel_request_kind), public :: gravel_w3_exchange_ends
  integer(gravel_request_kind), public :: gravel_w4_exchange_columns
  integer(gravel_request_kind), public :: gravel_w4_exchange_ends

contains

  ! Of columns: nothing to do where there are none.
  subroutine exchange_columns(u, n, m)
    use gravel
    integer, intent(in) :: n, m
    double precision, intent(inout) :: u(0:n+1, 0:m+1)
    integer :: requests(4), ierr

    ! gravel: null where the operation is not begun
    gravel_w1_exchange_columns = gravel_request_null
    gravel_w2_exchange_columns = gravel_request_null
    gravel_w3_exchange_columns = gravel_request_null
    gravel_w4_exchange_columns = gravel_request_null
    if (m == 0) return
    ! gravel: posted here, was line 26: call mpi_irecv(u(0, 0), n+2, mpi_double_precision, left, 1, mpi_com...
    call gravel_post_rcv_buffer_rdma(u(0, 0), n+2, mpi_double_precision, left, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 27: call mpi_irecv(u(0, m+1), n+2, mpi_double_precision, right, 2, mpi_...
    call gravel_post_rcv_buffer_rdma(u(0, m+1), n+2, mpi_double_precision, right, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 28: call mpi_isend(u(0, 1), n+2, mpi_double_precision, left, 2...
    call gravel_post_send(u(0, 1), n+2, mpi_double_precision, left, 2, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 29: call mpi_isend(u(0, m), n+2, mpi_double_precision, right, ...
    call gravel_post_send(u(0, m), n+2, mpi_double_precision, right, 1, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 30: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    gravel_w1_exchange_columns = requests(1)
    gravel_w2_exchange_columns = requests(2)
    gravel_w3_exchange_columns = requests(3)
    gravel_w4_exchange_columns = requests(4)
  end subroutine exchange_columns

  ! The ends of a line.
  subroutine exchange_ends(a, n)
    use gravel
    integer, intent(in) :: n
    double precision, intent(inout) :: a(0:n+1)
    integer :: ierr

    ! gravel: receives and sends here, was line 39: call mpi_sendrecv(a(1), 1, mpi_double_precision, left, ...
    call gravel_post_rcv_buffer_rdma(a(n+1), 1, mpi_double_precision, right, 3, mpi_comm_world, &
         gravel_w1_exchange_ends)
    call gravel_post_send(a(1), 1, mpi_double_precision, left, 3, mpi_comm_world, gravel_w2_exchange_ends, &
         ierr)
    ! gravel: sent without waiting, was line 41: call mpi_sendrecv(a(n), 1, mpi_double_precision, right, 4,...
    call gravel_post_send(a(n), 1, mpi_double_precision, right, 4, mpi_comm_world, gravel_w3_exchange_ends, &
         ierr)
    gravel_w4_exchange_ends = gravel_r2_exchange_ends
  end subroutine exchange_ends

  ! One column of an object.
  subroutine exchange_object(f)
    use gravel
    type(field), intent(inout) :: f
    integer :: ierr

    ! gravel: receives and sends here, was line 50: call mpi_sendrecv(f%values(:, f%m), f%n, mpi_double_pre...
    call gravel_post_rcv_buffer_rdma(f%values(:, 0), f%n, mpi_double_precision, left, 5, mpi_comm_world, &
         gravel_w1_exchange_object)
    call gravel_post_send(f%values(:, f%m), f%n, mpi_double_precision, right, 5, mpi_comm_world, &
         gravel_w2_exchange_object, ierr)
  end subroutine exchange_object

  ! Into a variable of the module, from an argument; whether there is a neighbour is asked here.
  subroutine fetch_border(source)
    use gravel
    double precision, intent(in) :: source(n)
    integer :: ierr

    ! gravel: null where the operation is not begun
    gravel_w1_fetch_border = gravel_request_null
    ! gravel: null where the operation is not begun
    gravel_w2_fetch_border = gravel_request_null
    if (right /= mpi_proc_null) then
      ! gravel: sent without waiting, was line 60: call mpi_send(source, n, mpi_double_precision, right, 6,...
      call gravel_post_send(source, n, mpi_double_precision, right, 6, mpi_comm_world, gravel_w1_fetch_border, &
           ierr)
    end if
    if (left /= mpi_proc_null) then
      ! gravel: moved away from here, was line 63: call mpi_recv(border, n, mpi_double_precision, left, 6, ...
      ierr = 0
      gravel_w2_fetch_border = gravel_r1_fetch_border
    end if
  end subroutine fetch_border

  ! Waits of what it calls itself go behind its calls, not behind those of itself.
  subroutine exchange_lines(a, b)
    use gravel
    double precision, intent(inout) :: a(0:n+1), b(0:n+1)
    integer(gravel_request_kind) :: gravel_w1, gravel_w2, gravel_w3, gravel_w4

    ! gravel: posted early for `exchange_ends`, was line 41 there: call mpi_sendrecv(a(n), 1, mpi_double_pr...
    call gravel_post_rcv_buffer_rdma(a, 1, mpi_double_precision, left, 4, mpi_comm_world, &
         gravel_r2_exchange_ends)
    call exchange_ends(a, n)
    ! gravel: waited for below
    gravel_w1 = gravel_w1_exchange_ends
    gravel_w1_exchange_ends = gravel_request_null
    gravel_w2 = gravel_w2_exchange_ends
    gravel_w2_exchange_ends = gravel_request_null
    gravel_w3 = gravel_w4_exchange_ends
    gravel_w4_exchange_ends = gravel_request_null
    gravel_w4 = gravel_w3_exchange_ends
    gravel_w3_exchange_ends = gravel_request_null
    call gravel_wait(gravel_c1_exchange_lines, b)
    ! gravel: posted early for `exchange_ends`, was line 41 there: call mpi_sendrecv(a(n), 1, mpi_double_pr...
    call gravel_post_rcv_buffer_rdma(b, 1, mpi_double_precision, left, 4, mpi_comm_world, &
         gravel_r2_exchange_ends)
    call exchange_ends(b, n)
    ! gravel: waits here for what line 71 has begun: call exchange_ends(a, n)
    call gravel_wait(gravel_w1, a)
    call gravel_wait(gravel_w2, a)
    call gravel_wait(gravel_w3, a)
    call gravel_wait(gravel_w4, a)
    ! gravel: waits here for what line 72 has begun: call exchange_ends(b, n)
    call gravel_wait(gravel_w1_exchange_ends, b)
    call gravel_wait(gravel_w2_exchange_ends, b)
    call gravel_wait(gravel_w4_exchange_ends, b)
    call gravel_wait(gravel_w3_exchange_ends, b)
  end subroutine exchange_lines

end module halos

program relax
  use mpi
  use halos
  use gravel
  use halos, only: gravel_c1_exchange_lines, gravel_r1_fetch_border, gravel_r2_exchange_ends, &
       gravel_w1_exchange_columns, gravel_w1_exchange_ends, gravel_w1_exchange_object, gravel_w1_fetch_border, &
       gravel_w2_exchange_columns, gravel_w2_exchange_ends, gravel_w2_exchange_object, gravel_w2_fetch_border, &
       gravel_w3_exchange_columns, gravel_w3_exchange_ends, gravel_w4_exchange_columns, &
       gravel_w4_exchange_ends
  implicit none

  double precision, allocatable :: u(:, :), w(:, :)
  double precision :: a(0:n+1), b(0:n+1), c(0:n+1), sums(6)
  type(field) :: f, g
  integer :: i, j, step, me, ranks, ierr
  integer(gravel_request_kind) :: gravel_w1, gravel_w2, gravel_w3, gravel_w4, gravel_w5, gravel_w6, gravel_w7, &
       gravel_w8, gravel_w9, gravel_w10, gravel_w11
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_part1, gravel_part2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = me - 1
  if (left < 0) left = mpi_proc_null
  right = me + 1
  if (right == ranks) right = mpi_proc_null
  allocate (u(0:n+1, 0:m+1), w(0:n+1, 0:m+1))
  f%n = n
  f%m = m
  g%n = n
  g%m = m
  allocate (f%values(n, 0:m), g%values(n, 0:m))
  do j = 0, m + 1
    do i = 0, n + 1
      u(i, j) = i + 3 * j + me
      w(i, j) = 0
    end do
  end do
  do j = 0, m
    do i = 1, n
      f%values(i, j) = i - j + me
      g%values(i, j) = i + j - me
    end do
  end do
  do i = 0, n + 1
    a(i) = mod(i, 7) + me
    b(i) = mod(i, 5) - me
    c(i) = mod(i, 3)
  end do
  border = -1

  do step = 1, 6
    ! The inner columns don't need what comes.
    call exchange_columns(u, n, m)
    ! gravel: posted early for `exchange_ends`, was line 41 there: call mpi_sendrecv(a(n), 1, mpi_double_pr...
    call gravel_post_rcv_buffer_rdma(a, 1, mpi_double_precision, left, 4, mpi_comm_world, &
         gravel_r2_exchange_ends)
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = m - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, for what line 121 has begun: call ...
          call gravel_wait(gravel_w1_exchange_columns, u)
          call gravel_wait(gravel_w2_exchange_columns, u)
          gravel_lo1 = 1
          gravel_hi1 = min(1, m)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, m)
          gravel_hi1 = m
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, n
           w(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
         end do
       end do
    end do
    ! gravel: waits here for what line 121 has begun: call exchange_columns(u, n, m)
    call gravel_wait(gravel_w3_exchange_columns, u)
    call gravel_wait(gravel_w4_exchange_columns, u)
    do j = 1, m
      do i = 1, n
        u(i, j) = w(i, j)
      end do
    end do
    ! Three under way at once, one of them only sometimes.
    call exchange_ends(a, n)
    ! gravel: waited for below
    gravel_w1 = gravel_w1_exchange_ends
    gravel_w1_exchange_ends = gravel_request_null
    gravel_w3 = gravel_w2_exchange_ends
    gravel_w2_exchange_ends = gravel_request_null
    gravel_w5 = gravel_w4_exchange_ends
    gravel_w4_exchange_ends = gravel_request_null
    gravel_w8 = gravel_w3_exchange_ends
    gravel_w3_exchange_ends = gravel_request_null
    ! gravel: posted early for `exchange_ends`, was line 41 there: call mpi_sendrecv(a(n), 1, mpi_double_pr...
    call gravel_post_rcv_buffer_rdma(b, 1, mpi_double_precision, left, 4, mpi_comm_world, &
         gravel_r2_exchange_ends)
    call exchange_ends(b, n)
    ! gravel: waited for below
    gravel_w2 = gravel_w1_exchange_ends
    gravel_w1_exchange_ends = gravel_request_null
    gravel_w4 = gravel_w2_exchange_ends
    gravel_w2_exchange_ends = gravel_request_null
    gravel_w6 = gravel_w4_exchange_ends
    gravel_w4_exchange_ends = gravel_request_null
    gravel_w9 = gravel_w3_exchange_ends
    gravel_w3_exchange_ends = gravel_request_null
    ! gravel: null where the branch below is not taken
    gravel_w1_exchange_ends = gravel_request_null
    gravel_w2_exchange_ends = gravel_request_null
    gravel_w7 = gravel_request_null
    gravel_w3_exchange_ends = gravel_request_null
    ! gravel: posted early for `exchange_ends`, was line 41 there: call mpi_sendrecv(a(n), 1, mpi_double_pr...
    if (step > 2) then
       call gravel_post_rcv_buffer_rdma(c, 1, mpi_double_precision, left, 4, mpi_comm_world, &
            gravel_r2_exchange_ends)
       call exchange_ends(c, n)
       gravel_w7 = gravel_w4_exchange_ends
       gravel_w4_exchange_ends = gravel_request_null
    end if
    do j = 1, m
      do i = 1, n
        w(i, j) = w(i, j) + mod(i, 3)
      end do
    end do
    ! gravel: waits here for what line 135 has begun: call exchange_ends(c, n)
    call gravel_wait(gravel_w1_exchange_ends, c)
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo2 = 65
    gravel_hi2 = n - mod(n - 1, 64) - 1
    do gravel_part2 = 1, 3
       if (gravel_part2 == 2) then
          ! gravel: waits here, before the first and the last iterations, for what line 134 has begun: call...
          call gravel_wait(gravel_w2, b)
          ! gravel: waits here, before the first and the last iterations, for what line 133 has begun: call...
          call gravel_wait(gravel_w5, a)
          gravel_lo2 = 1
          gravel_hi2 = min(64, n)
       else if (gravel_part2 == 3) then
          gravel_lo2 = max(65, n - mod(n - 1, 64))
          gravel_hi2 = n
       end if
       do i = gravel_lo2, gravel_hi2
         w(i, 0) = a(i-1) + b(i+1) + c(i+1)
       end do
    end do
    ! gravel: waits here for what line 133 has begun: call exchange_ends(a, n)
    call gravel_wait(gravel_w3, a)
    call gravel_wait(gravel_w8, a)
    ! gravel: waits here for what line 134 has begun: call exchange_ends(b, n)
    call gravel_wait(gravel_w4, b)
    call gravel_wait(gravel_w9, b)
    ! gravel: waits here for what line 135 has begun: call exchange_ends(c, n)
    call gravel_wait(gravel_w2_exchange_ends, c)
    call gravel_wait(gravel_w3_exchange_ends, c)
    do i = 1, n
      a(i) = w(i, 0) * 0.5d0
      b(i) = b(i) + 1
      c(i) = c(i) - 1
    end do
    ! gravel: waits here for what line 133 has begun: call exchange_ends(a, n)
    call gravel_wait(gravel_w1, a)
    ! gravel: waited for in `exchange_lines`
    gravel_c1_exchange_lines = gravel_w6
    call exchange_lines(a, b)
    call exchange_object(f)
    ! gravel: waited for below
    gravel_w10 = gravel_w1_exchange_object
    gravel_w11 = gravel_w2_exchange_object
    call exchange_object(g)
    ! gravel: posted early for `fetch_border`, was line 63 there: call mpi_recv(border, n, mpi_double_preci...
    if (left /= mpi_proc_null) call gravel_post_rcv_buffer_rdma(border, 300, mpi_double_precision, left, 6, &
         mpi_comm_world, gravel_r1_fetch_border)
    do j = 1, m
      do i = 1, n
        w(i, j) = w(i, j) * 0.5d0
      end do
    end do
    ! gravel: waits here for what line 150 has begun: call exchange_object(f)
    call gravel_wait(gravel_w10, f%values)
    call gravel_wait(gravel_w11, f%values)
    ! gravel: waits here for what line 151 has begun: call exchange_object(g)
    call gravel_wait(gravel_w1_exchange_object, g%values)
    call gravel_wait(gravel_w2_exchange_object, g%values)
    do i = 1, n
      f%values(i, 1) = f%values(i, 0) + g%values(i, m)
      g%values(i, m) = g%values(i, 0) + 1
    end do
    call fetch_border(w(1, m))
    do j = 1, m - 1
      do i = 1, n
        w(i, j) = w(i, j) - 0.125d0
      end do
    end do
    ! gravel: waits here for what line 161 has begun: call fetch_border(w(1, m))
    call gravel_wait(gravel_w1_fetch_border, w)
    call gravel_wait(gravel_w2_fetch_border, border)
    do i = 1, n
      u(i, 1) = u(i, 1) + border(i)
      w(i, m) = 0
    end do
    call exchange_columns(w, n, 0)
    ! gravel: waits here for what line 135 has begun: call exchange_ends(c, n)
    call gravel_wait(gravel_w7, c)
    ! gravel: waits here for what line 171 has begun: call exchange_columns(w, n, 0)
    call gravel_wait(gravel_w1_exchange_columns, w)
    call gravel_wait(gravel_w2_exchange_columns, w)
    call gravel_wait(gravel_w3_exchange_columns, w)
    call gravel_wait(gravel_w4_exchange_columns, w)
  end do

  sums = [sum(u), sum(w), sum(a) + sum(b), sum(c), sum(f%values), sum(g%values)]
  call mpi_allreduce(mpi_in_place, sums, 6, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (me == 0) write (*, '(6es24.16)') sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program relax
