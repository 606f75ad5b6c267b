! Diffusion on a plate whose rim is kept cold: an explicit five-point stencil, and what is known of its solution.
module diffusion
  use plate
  implicit none
  private
  public :: relax, warm_up, largest_value, largest_error, decay

  real(dp), parameter :: r = 0.2_dp                 ! time step over mesh width squared
  real(dp), parameter :: pi = 3.14159265358979323846_dp

contains

  subroutine relax(u, v, change)
    real(dp), intent(in) :: u(0:nx+1, 0:ny+1)
    real(dp), intent(inout) :: v(0:nx+1, 0:ny+1)
    real(dp), intent(out) :: change
    integer :: i, j

    do j = 1, ny
      do i = 1, nx
        v(i, j) = u(i, j) + r * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4.0_dp * u(i, j))
      end do
    end do
    change = 0.0_dp
    do j = 1, ny
      do i = 1, nx
        change = max(change, abs(v(i, j) - u(i, j)))
      end do
    end do
  end subroutine relax

  ! One mode of the discrete Laplace operator, which keeps its form.
  subroutine warm_up(shape, u)
    type(plate_shape), intent(in) :: shape
    real(dp), intent(out) :: u(0:nx+1, 0:ny+1)
    integer :: i, j

    u = 0.0_dp
    do j = 1, ny
      do i = 1, nx
        u(i, j) = mode(shape, i, j)
      end do
    end do
  end subroutine warm_up

  function largest_value(shape) result(largest)
    type(plate_shape), intent(in) :: shape
    real(dp) :: largest
    integer :: i, j

    largest = 0.0_dp
    do j = 1, ny
      do i = 1, nx
        largest = max(largest, abs(mode(shape, i, j)))
      end do
    end do
  end function largest_value

  function largest_error(shape, u) result(error)
    type(plate_shape), intent(in) :: shape
    real(dp), intent(in) :: u(0:nx+1, 0:ny+1)
    real(dp) :: error, left
    integer :: i, j

    left = decay(shape) ** shape%steps
    error = 0.0_dp
    do j = 1, ny
      do i = 1, nx
        error = max(error, abs(u(i, j) - left * mode(shape, i, j)))
      end do
    end do
  end function largest_error

  ! What a step leaves of it.
  pure real(dp) function decay(shape)
    type(plate_shape), intent(in) :: shape

    decay = 1.0_dp - 2.0_dp * r * (2.0_dp - cos(3.0_dp * pi / (shape%columns + 1)) - cos(5.0_dp * pi / (shape%rows + 1)))
  end function decay

  pure real(dp) function mode(shape, i, j)
    type(plate_shape), intent(in) :: shape
    integer, intent(in) :: i, j

    mode = sin(3.0_dp * pi * (ox + i) / (shape%columns + 1)) * sin(5.0_dp * pi * (oy + j) / (shape%rows + 1))
  end function mode

end module diffusion
