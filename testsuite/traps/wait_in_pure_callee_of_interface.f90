! The procedure that is called next is PURE, as only its interface in the module says: it can wait for nothing.
! ranks: 1 2 3
! expect: without split-loop sink-wait
module fields
  use mpi
  implicit none
  integer, parameter :: n = 60, m = 40
  integer :: left, right, rows
  double precision :: field(0:n+1, 0:m+1), other(0:n+1, 0:m+1), seen = 0
  interface
    pure module subroutine relax(u, w)
      double precision, intent(in) :: u(0:n+1, 0:m+1)
      double precision, intent(inout) :: w(0:n+1, 0:m+1)
    end subroutine relax
  end interface
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

end module fields

submodule (fields) computation
contains

  module procedure relax
    integer :: i, j

    do j = 1, m
      do i = 1, rows
        w(i, j) = 0.5d0 * u(i, j) + 0.25d0 * u(i, j-1) + 0.125d0 * u(i-1, j)
      end do
    end do
  end procedure relax

end submodule computation

program wait_in_pure_callee_of_interface
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
    call fetch(u)
    call relax(u, w)
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
end program wait_in_pure_callee_of_interface
