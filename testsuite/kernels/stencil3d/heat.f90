! One explicit step of the heat equation: the interior while the halos travel, then the shell.
module heat
  use grid
  use halo
  implicit none
  private
  public :: step, initialise, largest_error

  real(dp), parameter, public :: r = 0.12_dp        ! time step over mesh width squared
  real(dp), parameter :: pi = 3.14159265358979323846_dp

contains

  subroutine step(u, v)
    real(dp), intent(inout) :: u(0:nx+1, 0:ny+1, 0:nz+1)
    real(dp), intent(inout) :: v(0:nx+1, 0:ny+1, 0:nz+1)

    call start_exchange(u)
    call update(u, v, 2, nx-1, 2, ny-1, 2, nz-1)
    call finish_exchange(u)
    ! The shell, face by face; none of its points is computed twice.
    call update(u, v, 1, nx, 1, ny, 1, 1)
    if (nz > 1) call update(u, v, 1, nx, 1, ny, nz, nz)
    call update(u, v, 1, nx, 1, 1, 2, nz-1)
    if (ny > 1) call update(u, v, 1, nx, ny, ny, 2, nz-1)
    call update(u, v, 1, 1, 2, ny-1, 2, nz-1)
    if (nx > 1) call update(u, v, nx, nx, 2, ny-1, 2, nz-1)
  end subroutine step

  subroutine update(u, v, i1, i2, j1, j2, k1, k2)
    real(dp), intent(in) :: u(0:nx+1, 0:ny+1, 0:nz+1)
    real(dp), intent(inout) :: v(0:nx+1, 0:ny+1, 0:nz+1)
    integer, intent(in) :: i1, i2, j1, j2, k1, k2
    integer :: i, j, k

    do k = k1, k2
      do j = j1, j2
        do i = i1, i2
          v(i, j, k) = u(i, j, k) + r * (u(i-1, j, k) + u(i+1, j, k) + u(i, j-1, k) + u(i, j+1, k) &
                     + u(i, j, k-1) + u(i, j, k+1) - 6.0_dp * u(i, j, k))
        end do
      end do
    end do
  end subroutine update

  ! Two modes of the discrete Laplace operator: each decays by a factor per step that is known exactly.
  subroutine initialise(u)
    real(dp), intent(out) :: u(0:nx+1, 0:ny+1, 0:nz+1)
    integer :: i, j, k

    u = 0.0_dp
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          u(i, j, k) = mode(1, 1, 1, i, j, k) + 0.5_dp * mode(2, 3, 1, i, j, k)
        end do
      end do
    end do
  end subroutine initialise

  function largest_error(u, steps) result(error)
    real(dp), intent(in) :: u(0:nx+1, 0:ny+1, 0:nz+1)
    integer, intent(in) :: steps
    real(dp) :: error, first, second
    integer :: i, j, k

    first = decay(1, 1, 1) ** steps
    second = 0.5_dp * decay(2, 3, 1) ** steps
    error = 0.0_dp
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          error = max(error, abs(u(i, j, k) - first * mode(1, 1, 1, i, j, k) - second * mode(2, 3, 1, i, j, k)))
        end do
      end do
    end do
  end function largest_error

  pure real(dp) function mode(p, q, s, i, j, k)
    integer, intent(in) :: p, q, s, i, j, k

    mode = sin(pi * p * h * (ox + i)) * sin(pi * q * h * (oy + j)) * sin(pi * s * h * (oz + k))
  end function mode

  pure real(dp) function decay(p, q, s)
    integer, intent(in) :: p, q, s

    decay = 1.0_dp - 2.0_dp * r * (3.0_dp - cos(pi * p * h) - cos(pi * q * h) - cos(pi * s * h))
  end function decay

end module heat
