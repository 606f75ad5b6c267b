! A solver for any equation: the time step is handed the right-hand side, which exchanges the ghost cells, and the condition at
! the ends of the domain. How the result is put down is chosen once, by a pointer.
module solvers
  implicit none
  private
  public :: step, right_side, at_boundary

  abstract interface
    subroutine right_side(u, du, at_end)
      real(8), intent(inout) :: u(0:)
      real(8), intent(out) :: du(:)
      interface
        real(8) function at_end(inside)
          real(8), intent(in) :: inside
        end function at_end
      end interface
    end subroutine right_side

    real(8) function at_boundary(inside)
      real(8), intent(in) :: inside
    end function at_boundary
  end interface

contains

  ! Heun's method.
  subroutine step(u, dt, rhs, at_end)
    real(8), intent(inout) :: u(0:)
    real(8), intent(in) :: dt
    procedure(right_side) :: rhs
    procedure(at_boundary) :: at_end
    real(8), allocatable :: first(:), second(:), between(:)
    integer :: n, i

    n = size(u) - 2
    allocate (first(n), second(n), between(0:n + 1))
    call rhs(u, first, at_end)
    between = u
    do i = 1, n
      between(i) = u(i) + dt * first(i)
    end do
    call rhs(between, second, at_end)
    do i = 1, n
      u(i) = u(i) + 0.5d0 * dt * (first(i) + second(i))
    end do
  end subroutine step

end module solvers

module equations
  use mpi
  implicit none
  integer :: left, right, rank, ranks

contains

  subroutine neighbours
    integer :: ierr

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    left = merge(rank - 1, mpi_proc_null, rank > 0)
    right = merge(rank + 1, mpi_proc_null, rank < ranks - 1)
  end subroutine neighbours

  subroutine diffusion(u, du, at_end)
    real(8), intent(inout) :: u(0:)
    real(8), intent(out) :: du(:)
    interface
      real(8) function at_end(inside)
        real(8), intent(in) :: inside
      end function at_end
    end interface
    integer :: requests(4), ierr, n, i

    n = size(du)
    if (rank == 0) u(0) = at_end(u(1))
    if (rank == ranks - 1) u(n + 1) = at_end(u(n))
    call mpi_irecv(u(0), 1, mpi_double_precision, left, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(u(n + 1), 1, mpi_double_precision, right, 2, mpi_comm_world, requests(2), ierr)
    call mpi_isend(u(1), 1, mpi_double_precision, left, 2, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(n), 1, mpi_double_precision, right, 1, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    do i = 1, n
      du(i) = u(i - 1) - 2 * u(i) + u(i + 1)
    end do
  end subroutine diffusion

  subroutine decay(u, du, at_end)
    real(8), intent(inout) :: u(0:)
    real(8), intent(out) :: du(:)
    interface
      real(8) function at_end(inside)
        real(8), intent(in) :: inside
      end function at_end
    end interface
    integer :: i

    u(0) = at_end(u(1))
    do i = 1, size(du)
      du(i) = -0.25d0 * u(i)
    end do
  end subroutine decay

  real(8) function mirrored(inside)
    real(8), intent(in) :: inside

    mirrored = inside
  end function mirrored

  real(8) function cold(inside)
    real(8), intent(in) :: inside

    cold = -inside
  end function cold

end module equations

program any_equation
  use mpi
  use solvers
  use equations
  implicit none
  integer, parameter :: n = 40, steps = 12

  abstract interface
    real(8) function measure(values)
      real(8), intent(in) :: values(:)
    end function measure
  end interface

  procedure(measure), pointer :: result_of => null()
  real(8) :: u(0:n + 1), flux(n), ghosts(n), moment, moments, received
  integer :: t, i, ierr, request, status(mpi_status_size)

  call mpi_init(ierr)
  call neighbours
  do i = 0, n + 1
    u(i) = mod(i * 7 + rank * 5, 13) * 0.5d0
  end do
  result_of => total
  if (ranks > 2) result_of => largest
  do t = 1, steps
    call step(u, 0.125d0, diffusion, mirrored)
    call step(u, 0.125d0, decay, cold)
    do i = 1, n
      flux(i) = u(i) - u(i - 1)
    end do
    ! What the pointer means reads what is sent, and leaves alone what comes.
    call mpi_irecv(ghosts, n, mpi_double_precision, left, 3, mpi_comm_world, request, ierr)
    call mpi_send(flux, n, mpi_double_precision, right, 3, mpi_comm_world, ierr)
    moment = result_of(flux)
    call mpi_wait(request, status, ierr)
    if (rank > 0) then
      received = sum(ghosts)
    else
      received = 0
    end if
    call mpi_reduce(moment + received, moments, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
    if (rank == 0) print '(a, i3, a, f16.10)', 'step', t, ': ', moments
  end do
  call mpi_finalize(ierr)

contains

  real(8) function total(values)
    real(8), intent(in) :: values(:)

    total = sum(values)
  end function total

  real(8) function largest(values)
    real(8), intent(in) :: values(:)

    largest = maxval(values)
  end function largest

end program any_equation
