! One procedure computes from fields of which one column has come, and from others of which two have: more of its iterations
! need those.
! ranks: 2 3
! expect: handled
module fields
  use mpi
  implicit none
  integer, parameter :: n = 120, m = 40
  integer :: left, right
contains

  ! A column from the left.
  subroutine fetch_one(u, own)
    double precision, intent(inout) :: u(n, -1:m)
    double precision, intent(in) :: own(n, 2)
    integer :: request, ierr

    call mpi_irecv(u(1, -1), n, mpi_double_precision, left, 1, mpi_comm_world, request, ierr)
    call mpi_send(own, n, mpi_double_precision, right, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end subroutine fetch_one

  ! Two of them.
  subroutine fetch_two(u, own)
    double precision, intent(inout) :: u(n, -1:m)
    double precision, intent(in) :: own(n, 2)
    integer :: request, ierr

    call mpi_irecv(u(1, -1), 2*n, mpi_double_precision, left, 2, mpi_comm_world, request, ierr)
    call mpi_send(own, 2*n, mpi_double_precision, right, 2, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end subroutine fetch_two

  subroutine sweep(u, w)
    double precision, intent(in) :: u(n, -1:m)
    double precision, intent(inout) :: w(n, m)
    integer :: i, j

    do j = 1, m
      do i = 1, n
        w(i, j) = 0.5d0 * w(i, j) + 0.25d0 * u(i, j-2)
      end do
    end do
  end subroutine sweep

end module fields

program wait_in_callee_of_two_depths
  use fields
  implicit none
  double precision :: u(n, -1:m), w(n, m), own(n, 2), sums(2)
  double precision, allocatable :: all(:, :)
  integer :: i, j, step, me, ranks, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  do j = -1, m
    do i = 1, n
      u(i, j) = mod(3 * i + 7 * j + 14, 11) + me
    end do
  end do
  w = u(:, 1:m)
  do step = 1, 5
    own = u(:, 1:2) + step
    if (me == 1) call delay
    call fetch_one(u, own)
    call sweep(u, w)
    own = own + 3
    if (me == 1) call delay
    call fetch_two(u, own)
    call sweep(u, w)
    do j = 1, m
      do i = 1, n
        u(i, j) = 0.5d0 * w(i, j) + 0.25d0 * u(i, j)
      end do
    end do
  end do
  sums = [sum(u), sum(w)]
  allocate (all(2, ranks))
  call mpi_gather(sums, 2, mpi_double_precision, all, 2, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(2es24.16)', all
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
end program wait_in_callee_of_two_depths
