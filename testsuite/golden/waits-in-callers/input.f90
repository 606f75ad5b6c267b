! Exchanges are procedures of their own, which end with their waits; their callers have work behind the calls. One leaves early,
! one is called under a condition, some are called one after the other, one gets an object, one knows its buffer by a module.
! ranks: 1 2 3 4
module halos
  use mpi
  implicit none

  integer, parameter :: n = 300, m = 80
  integer :: left, right
  double precision :: border(n)

  type field
    integer :: n = 0, m = 0
    double precision, allocatable :: values(:, :)
  end type field

contains

  ! Of columns: nothing to do where there are none.
  subroutine exchange_columns(u, n, m)
    integer, intent(in) :: n, m
    double precision, intent(inout) :: u(0:n+1, 0:m+1)
    integer :: requests(4), ierr

    if (m == 0) return
    call mpi_irecv(u(0, 0), n+2, mpi_double_precision, left, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(u(0, m+1), n+2, mpi_double_precision, right, 2, mpi_comm_world, requests(2), ierr)
    call mpi_isend(u(0, 1), n+2, mpi_double_precision, left, 2, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(0, m), n+2, mpi_double_precision, right, 1, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  end subroutine exchange_columns

  ! The ends of a line.
  subroutine exchange_ends(a, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: a(0:n+1)
    integer :: ierr

    call mpi_sendrecv(a(1), 1, mpi_double_precision, left, 3, a(n+1), 1, mpi_double_precision, right, 3, &
      mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_sendrecv(a(n), 1, mpi_double_precision, right, 4, a(0), 1, mpi_double_precision, left, 4, &
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine exchange_ends

  ! One column of an object.
  subroutine exchange_object(f)
    type(field), intent(inout) :: f
    integer :: ierr

    call mpi_sendrecv(f%values(:, f%m), f%n, mpi_double_precision, right, 5, f%values(:, 0), f%n, &
      mpi_double_precision, left, 5, mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine exchange_object

  ! Into a variable of the module, from an argument; whether there is a neighbour is asked here.
  subroutine fetch_border(source)
    double precision, intent(in) :: source(n)
    integer :: ierr

    if (right /= mpi_proc_null) then
      call mpi_send(source, n, mpi_double_precision, right, 6, mpi_comm_world, ierr)
    end if
    if (left /= mpi_proc_null) then
      call mpi_recv(border, n, mpi_double_precision, left, 6, mpi_comm_world, mpi_status_ignore, ierr)
    end if
  end subroutine fetch_border

  ! Waits of what it calls itself go behind its calls, not behind those of itself.
  subroutine exchange_lines(a, b)
    double precision, intent(inout) :: a(0:n+1), b(0:n+1)

    call exchange_ends(a, n)
    call exchange_ends(b, n)
  end subroutine exchange_lines

end module halos

program relax
  use mpi
  use halos
  implicit none

  double precision, allocatable :: u(:, :), w(:, :)
  double precision :: a(0:n+1), b(0:n+1), c(0:n+1), sums(6)
  type(field) :: f, g
  integer :: i, j, step, me, ranks, ierr

  call mpi_init(ierr)
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
    do j = 1, m
      do i = 1, n
        w(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    do j = 1, m
      do i = 1, n
        u(i, j) = w(i, j)
      end do
    end do
    ! Three under way at once, one of them only sometimes.
    call exchange_ends(a, n)
    call exchange_ends(b, n)
    if (step > 2) call exchange_ends(c, n)
    do j = 1, m
      do i = 1, n
        w(i, j) = w(i, j) + mod(i, 3)
      end do
    end do
    do i = 1, n
      w(i, 0) = a(i-1) + b(i+1) + c(i+1)
    end do
    do i = 1, n
      a(i) = w(i, 0) * 0.5d0
      b(i) = b(i) + 1
      c(i) = c(i) - 1
    end do
    call exchange_lines(a, b)
    call exchange_object(f)
    call exchange_object(g)
    do j = 1, m
      do i = 1, n
        w(i, j) = w(i, j) * 0.5d0
      end do
    end do
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
    do i = 1, n
      u(i, 1) = u(i, 1) + border(i)
      w(i, m) = 0
    end do
    call exchange_columns(w, n, 0)
  end do

  sums = [sum(u), sum(w), sum(a) + sum(b), sum(c), sum(f%values), sum(g%values)]
  call mpi_allreduce(mpi_in_place, sums, 6, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (me == 0) write (*, '(6es24.16)') sums
  call mpi_finalize(ierr)
end program relax
