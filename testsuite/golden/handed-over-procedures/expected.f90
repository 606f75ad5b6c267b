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
    use gravel
    real(8), intent(inout) :: u(0:)
    real(8), intent(out) :: du(:)
    interface
      real(8) function at_end(inside)
        real(8), intent(in) :: inside
      end function at_end
    end interface
    integer :: requests(4), ierr, n, i
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    n = size(du)
    if (rank == 0) u(0) = at_end(u(1))
    if (rank == ranks - 1) u(n + 1) = at_end(u(n))
    ! gravel: posted here, was line 79: call mpi_irecv(u(0), 1, mpi_double_precision, left, 1, mpi_comm_wor...
    call gravel_post_rcv_buffer_rdma(u(0), 1, mpi_double_precision, left, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 80: call mpi_irecv(u(n + 1), 1, mpi_double_precision, right, 2, mpi_com...
    call gravel_post_rcv_buffer_rdma(u(n + 1), 1, mpi_double_precision, right, 2, mpi_comm_world, requests(2), &
         ierr)
    ! gravel: sent without waiting, was line 81: call mpi_isend(u(1), 1, mpi_double_precision, left, 2, mpi...
    call gravel_post_send(u(1), 1, mpi_double_precision, left, 2, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 82: call mpi_isend(u(n), 1, mpi_double_precision, right, 1, mp...
    call gravel_post_send(u(n), 1, mpi_double_precision, right, 1, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 83: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 65
    gravel_hi1 = n - mod(n - 1, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 83: call mpi_waitall(4, ...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = 1
          gravel_hi1 = min(64, n)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(65, n - mod(n - 1, 64))
          gravel_hi1 = n
       end if
       do i = gravel_lo1, gravel_hi1
         du(i) = u(i - 1) - 2 * u(i) + u(i + 1)
       end do
    end do
    ! gravel: the wait moved here, was line 83: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
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
  use gravel
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
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call neighbours
  do i = 0, n + 1
    u(i) = mod(i * 7 + rank * 5, 13) * 0.5d0
  end do
  result_of => total
  if (ranks > 2) result_of => largest
  do t = 1, steps
    call step(u, 0.125d0, diffusion, mirrored)
    call step(u, 0.125d0, decay, cold)
    ! gravel: posted early, was line 150: call mpi_irecv(ghosts, n, mpi_double_precision, left, 3, mpi_comm...
    call gravel_post_rcv_buffer_rdma(ghosts, n, mpi_double_precision, left, 3, mpi_comm_world, request)
    ! gravel: one handshake, a put per tile, was line 151: call mpi_send(flux, n, mpi_double_precision, rig...
    call gravel_wait_rcv_buffer(flux, n, mpi_double_precision, right, 3, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         flux(i) = u(i) - u(i - 1)
       end do
       call gravel_post_os_put(gravel_t1, flux, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! What the pointer means reads what is sent, and leaves alone what comes.
    ! gravel: moved away from here, was line 150: call mpi_irecv(ghosts, n, mpi_double_precision, left, 3, ...
    ierr = 0
    ! gravel: sent tile by tile above, was line 151: call mpi_send(flux, n, mpi_double_precision, right, 3,...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    moment = result_of(flux)
    ! gravel: waits here, was line 153: call mpi_wait(request, status, ierr)
    call gravel_wait(request, ghosts, status, ierr)
    ! gravel: the wait moved here, was line 151: call mpi_send(flux, n, mpi_double_precision, right, 3, mpi...
    call gravel_wait(gravel_s1, flux)
    if (rank > 0) then
      received = sum(ghosts)
    else
      received = 0
    end if
    call mpi_reduce(moment + received, moments, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
    if (rank == 0) print '(a, i3, a, f16.10)', 'step', t, ': ', moments
  end do
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
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
