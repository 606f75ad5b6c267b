! Fast Fourier transforms of lines of length 2**m (Stockham's ordering: no bit reversal).
module fft1d
  use ft_data, only: dp, pi
  implicit none
  private
  public :: roots_init, fft_lines

  integer, parameter :: longest = 1024
  complex(dp) :: roots(0:longest-1)

contains

  subroutine roots_init()
    integer :: k

    do k = 0, longest - 1
      roots(k) = cmplx(cos(2*pi*k/longest), sin(2*pi*k/longest), dp)
    end do
  end subroutine roots_init

  ! Transforms each of the contiguous lines; sign -1 is forward, +1 backward, neither is scaled.
  subroutine fft_lines(sign, length, lines, x)
    integer, intent(in) :: sign, length, lines
    complex(dp), intent(inout) :: x(length, lines)
    complex(dp) :: y(length)
    integer :: i

    do i = 1, lines
      call stockham(sign, length, x(1, i), y)
    end do
  end subroutine fft_lines

  subroutine stockham(sign, n, x, y)
    integer, intent(in) :: sign, n
    complex(dp), intent(inout) :: x(0:n-1), y(0:n-1)
    complex(dp) :: w, a, b
    integer :: l, m, j, k
    logical :: in_x

    l = n / 2
    m = 1
    in_x = .true.
    do while (l >= 1)
      do j = 0, l - 1
        w = roots(j * (longest / (2*l)))
        if (sign < 0) w = conjg(w)
        do k = 0, m - 1
          if (in_x) then
            a = x(k + j*m)
            b = x(k + j*m + l*m)
            y(k + 2*j*m) = a + b
            y(k + 2*j*m + m) = w * (a - b)
          else
            a = y(k + j*m)
            b = y(k + j*m + l*m)
            x(k + 2*j*m) = a + b
            x(k + 2*j*m + m) = w * (a - b)
          end if
        end do
      end do
      in_x = .not. in_x
      l = l / 2
      m = m * 2
    end do
    if (.not. in_x) x = y
  end subroutine stockham

end module fft1d
