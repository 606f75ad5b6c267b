! The procedure that is called next runs once more above its loop, by way of another one, with nothing to wait for: that it waits
! for nothing then must not be stored where the request is.
! ranks: 1 2 3
! expect: without split-loop
program wait_in_callee_that_runs_again
  use mpi
  implicit none
  integer, parameter :: n = 60, m = 40
  double precision :: u(0:n+1, 0:m+1), v(0:n+1, 0:m+1), w(0:n+1, 0:m+1), own(3)
  double precision, allocatable :: all(:, :)
  integer :: i, j, step, me, ranks, ierr
  interface
    recursive subroutine relax(u, v, w, n, m, depth)
      integer, intent(in) :: n, m, depth
      double precision, intent(in) :: u(0:n+1, 0:m+1)
      double precision, intent(inout) :: v(0:n+1, 0:m+1), w(0:n+1, 0:m+1)
    end subroutine relax
  end interface

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do j = 0, m + 1
    do i = 0, n + 1
      u(i, j) = mod(3 * i + 7 * j, 11) + me
      v(i, j) = mod(i + j, 5) - me
      w(i, j) = 0
    end do
  end do
  do step = 1, 5
    if (me == 1) call delay
    call fetch(u, n, m, modulo(me - 1, ranks), modulo(me + 1, ranks))
    call relax(u, v, w, n, m, 0)
    do j = 1, m
      do i = 1, n
        u(i, j) = 0.5d0 * w(i, j) + 0.25d0 * u(i, j)
      end do
    end do
  end do
  own = [sum(u), sum(v), sum(w)]
  allocate (all(3, ranks))
  call mpi_gather(own, 3, mpi_double_precision, all, 3, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(3es24.16)', all
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
end program wait_in_callee_that_runs_again

subroutine fetch(u, n, m, left, right)
  use mpi
  implicit none
  integer, intent(in) :: n, m, left, right
  double precision, intent(inout) :: u(0:n+1, 0:m+1)
  integer :: requests(2), ierr

  call mpi_irecv(u(0, 0), n+2, mpi_double_precision, left, 1, mpi_comm_world, requests(1), ierr)
  call mpi_isend(u(0, m), n+2, mpi_double_precision, right, 1, mpi_comm_world, requests(2), ierr)
  call mpi_wait(requests(2), mpi_status_ignore, ierr)
  call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
end subroutine fetch

recursive subroutine relax(u, v, w, n, m, depth)
  implicit none
  integer, intent(in) :: n, m, depth
  double precision, intent(in) :: u(0:n+1, 0:m+1)
  double precision, intent(inout) :: v(0:n+1, 0:m+1), w(0:n+1, 0:m+1)
  integer :: i, j

  if (depth == 0) call relax_other(v, n, m)
  do j = 1, m
    do i = 1, n
      w(i, j) = 0.5d0 * u(i, j) + 0.25d0 * u(i, j-1) + 0.125d0 * u(i-1, j)
    end do
  end do
end subroutine relax

subroutine relax_other(v, n, m)
  implicit none
  integer, intent(in) :: n, m
  double precision, intent(inout) :: v(0:n+1, 0:m+1)
  double precision :: a(0:n+1, 0:m+1), b(0:n+1, 0:m+1)
  interface
    recursive subroutine relax(u, v, w, n, m, depth)
      integer, intent(in) :: n, m, depth
      double precision, intent(in) :: u(0:n+1, 0:m+1)
      double precision, intent(inout) :: v(0:n+1, 0:m+1), w(0:n+1, 0:m+1)
    end subroutine relax
  end interface

  a = v
  b = 0
  call relax(a, b, v, n, m, 1)
end subroutine relax_other
