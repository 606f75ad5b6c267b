! Exchanges are procedures of their own, and so are the computations behind them: these wait for what comes. One gets its field
! by arguments of several shapes, one by a module, one is inside the main program; one is called by others, too.
! ranks: 1 2 3 4
module fields
  use mpi
  implicit none

  integer, parameter :: rows = 120, columns = 90
  integer :: left, right
  double precision :: line(0:rows+1), sums(rows)

  type grid
    integer :: n = 0, m = 0
    double precision, allocatable :: values(:, :)
  end type grid

contains

  ! One column from either side, and one to either side.
  subroutine exchange(u, n, m)
    integer, intent(in) :: n, m
    double precision, intent(inout) :: u(0:n+1, 0:m+1)
    integer :: requests(4), ierr

    call mpi_irecv(u(0, 0), n+2, mpi_double_precision, left, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(u(0, m+1), n+2, mpi_double_precision, right, 2, mpi_comm_world, requests(2), ierr)
    call mpi_isend(u(0, 1), n+2, mpi_double_precision, left, 2, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(0, m), n+2, mpi_double_precision, right, 1, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  end subroutine exchange

  ! From one field to the other.
  subroutine evolve(u, w, n, m)
    integer, intent(in) :: n, m
    double precision, intent(in) :: u(0:n+1, 0:m+1)
    double precision, intent(inout) :: w(0:n+1, 0:m+1)
    integer :: i, j

    do j = 1, m
      do i = 1, n
        w(i, j) = u(i, j) + 0.1d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j))
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
    integer :: ierr

    call mpi_sendrecv(line(1), 1, mpi_double_precision, left, 3, line(rows+1), 1, mpi_double_precision, right, 3, &
      mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_sendrecv(line(rows), 1, mpi_double_precision, right, 4, line(0), 1, mpi_double_precision, left, 4, &
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine exchange_ends

  ! Sums first, which need no message; then the line.
  subroutine advance(u)
    double precision, intent(in) :: u(0:rows+1, 0:columns+1)
    integer :: i, j

    do i = 1, rows
      sums(i) = 0
      do j = 1, columns
        sums(i) = sums(i) + u(i, j)
      end do
    end do
    do i = 1, rows
      sums(i) = sums(i) + line(i-1) + line(i+1)
    end do
  end subroutine advance

end module fields

program relax
  use mpi
  use fields
  implicit none

  double precision, allocatable :: u(:, :), w(:, :), v(:, :)
  double precision :: own(4), t(0:rows+1, 0:columns+1), r(0:rows+1, 0:columns+1)
  double precision, allocatable :: all(:, :)
  integer :: i, j, step, me, ranks, ierr, lines, requests(2)

  call mpi_init(ierr)
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
    call exchange(u, rows, columns)
    call evolve(u, w, rows, columns)
    call exchange(w, rows, columns)
    call evolve(w, u, rows, columns)
    call evolve(v, w, rows, columns)
    ! Waited for in an array that assumes its shape.
    call exchange(v, rows, columns)
    call smooth(v, w)
    ! By the module.
    call exchange_ends
    call advance(u)
    do i = 1, rows
      line(i) = sums(i) / columns
    end do
    ! Posted and waited for here.
    call mpi_irecv(v(0, columns+1), rows+2, mpi_double_precision, right, 5, mpi_comm_world, requests(1), ierr)
    call mpi_isend(v(0, 1), rows+2, mpi_double_precision, left, 5, mpi_comm_world, requests(2), ierr)
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call evolve(v, w, rows, columns)
    call fetch_border
    call add_border
    do j = 1, columns
      do i = 1, rows
        t(i, j) = r(i, j) + 1
      end do
    end do
  end do
  own(1) = sum(u)
  own(2) = sum(w)
  own(3) = sum(line)
  own(4) = sum(t) + sum(r)
  call mpi_gather(own, 4, mpi_double_precision, all, 4, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(4es24.16)', all
  call mpi_finalize(ierr)

contains

  ! What the main program has, its procedures see.
  subroutine fetch_border
    integer :: code

    call mpi_sendrecv(t(0, columns), rows+2, mpi_double_precision, right, 6, t(0, 0), rows+2, mpi_double_precision, &
      left, 6, mpi_comm_world, mpi_status_ignore, code)
  end subroutine fetch_border

  subroutine add_border
    integer :: i, j

    do j = 1, columns
      do i = 1, lines
        r(i, j) = 0.5d0 * t(i, j) + 0.25d0 * t(i, j-1)
      end do
    end do
  end subroutine add_border

end program relax
