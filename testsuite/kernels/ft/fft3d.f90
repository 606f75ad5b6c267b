! Three-dimensional transforms of the distributed field.
module fft3d
  use ft_data
  use fft1d
  use transposes
  implicit none
  private
  public :: forward, backward

contains

  ! a(x, y, z local) to b(z, xy local).
  subroutine forward(a, scratch, b)
    complex(dp), intent(inout) :: a(nx, ny, nzl), scratch(nx*ny*nzl), b(nx*ny*nzl)

    call fft_lines(-1, nx, ny*nzl, a)
    call fft_y(-1, a)
    call transpose_xy_z(a, scratch, b)
    call fft_lines(-1, nz, nxyl, b)
  end subroutine forward

  ! a(z, xy local) to b(x, y, z local).
  subroutine backward(a, scratch, b)
    complex(dp), intent(inout) :: a(nx*ny*nzl), scratch(nx*ny*nzl), b(nx, ny, nzl)

    call fft_lines(+1, nz, nxyl, a)
    call transpose_z_xy(a, scratch, b)
    call fft_y(+1, b)
    call fft_lines(+1, nx, ny*nzl, b)
  end subroutine backward

  ! Lines along y, some at a time in a buffer.
  subroutine fft_y(sign, a)
    integer, intent(in) :: sign
    complex(dp), intent(inout) :: a(nx, ny, nzl)
    integer, parameter :: together = 16
    complex(dp) :: lines(ny, together)
    integer :: i, ii, j, k, n

    do k = 1, nzl
      do i = 1, nx, together
        n = min(together, nx - i + 1)
        do j = 1, ny
          do ii = 1, n
            lines(j, ii) = a(i + ii - 1, j, k)
          end do
        end do
        call fft_lines(sign, ny, n, lines)
        do j = 1, ny
          do ii = 1, n
            a(i + ii - 1, j, k) = lines(j, ii)
          end do
        end do
      end do
    end do
  end subroutine fft_y

end module fft3d
