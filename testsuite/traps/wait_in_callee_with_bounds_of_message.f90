! An automatic array of the procedure that is called next is as long as the message says.
! ranks: 2 3
! expect: without split-loop sink-wait
module fields
  use mpi
  implicit none
  integer, parameter :: n = 60, m = 40
  integer :: left, right, rows
  double precision :: field(0:n+1, 0:m+1), other(0:n+1, 0:m+1), seen = 0
  integer :: lengths(0:n) = 0
contains

  ! A column from the left, one to the right.
  subroutine fetch(u)
    double precision, intent(inout) :: u(0:n+1, 0:m+1)
    integer :: requests(2), ierr

    call mpi_irecv(u(0, 0), n+2, mpi_double_precision, left, 1, mpi_comm_world, requests(1), ierr)
    call mpi_isend(u(0, m), n+2, mpi_double_precision, right, 1, mpi_comm_world, requests(2), ierr)
    call mpi_wait(requests(2), mpi_status_ignore, ierr)
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
  end subroutine fetch

  subroutine pass(k)
    integer, intent(inout) :: k(0:n)
    integer :: ierr
    call mpi_recv(k(0), 1, mpi_integer, left, 2, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  end subroutine pass

  subroutine use_length(k, w)
    integer, intent(in) :: k(0:n)
    double precision, intent(inout) :: w(0:n+1, 0:m+1)
    double precision :: buffer(k(0))
    integer :: i, j

    do j = 1, m
      do i = 1, n
        w(i, j) = w(i, j) + mod(i, 3)
      end do
    end do
    buffer = 1
    seen = seen + sum(buffer) + k(0)
  end subroutine use_length

end module fields

program wait_in_callee_with_bounds_of_message
  use fields
  implicit none
  double precision :: u(0:n+1, 0:m+1), w(0:n+1, 0:m+1)
  double precision :: own(4)
  double precision, allocatable :: all(:, :)
  integer :: i, j, step, me, ranks, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  do j = 0, m + 1
    do i = 0, n + 1
      u(i, j) = mod(3 * i + 7 * j, 11) + me
      field(i, j) = mod(i + j, 5) - me
    end do
  end do
  w = u
  other = field
  rows = n
  if (ranks > 1000) rows = 1
  do step = 1, 5
    if (me == 1) call delay
    lengths(n) = 10 * (me + 1) + step
    lengths(0) = 1
    call mpi_send(lengths(n), 1, mpi_integer, right, 2, mpi_comm_world, ierr)
    call pass(lengths)
    call use_length(lengths, w)
    call fetch(u)
    w(2, 2) = w(2, 2) + u(2, 0)
    do j = 1, m
      do i = 1, n
        u(i, j) = 0.5d0 * w(i, j) + 0.25d0 * u(i, j)
        field(i, j) = 0.5d0 * other(i, j) + 0.25d0 * field(i, j)
      end do
    end do
  end do
  own = [sum(u), sum(w), sum(field) + sum(other), seen]
  allocate (all(4, ranks))
  call mpi_gather(own, 4, mpi_double_precision, all, 4, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(4es24.16)', all
  call mpi_finalize(ierr)
contains
  ! What comes from here comes late.
  subroutine delay
    integer :: k
    double precision :: x
    x = 1
    do k = 1, 300000
      x = sqrt(x + k)
    end do
    if (x < 0) print *, x
  end subroutine delay
end program wait_in_callee_with_bounds_of_message
