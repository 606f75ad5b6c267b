! The initial field, a sum of waves; how the spectrum decays; and what the field must be at any time.
module heat_modes
  use mpi
  use ft_data
  implicit none
  private
  public :: initial_field, decay_factors, evolve, checksum, expected_checksum

  integer, parameter :: nmodes = 9, samples = 509
  integer, parameter :: kx(nmodes) = [0, 1, -2, 3, 0, 5, -7, 2, 6]
  integer, parameter :: ky(nmodes) = [0, 2, 1, -3, 4, 0, 6, -5, 7]
  integer, parameter :: kz(nmodes) = [0, 0, 1, 2, -3, 3, -1, 2, -2]

contains

  subroutine initial_field(u)
    complex(dp), intent(out) :: u(nx, ny, nzl)
    integer :: i, j, k

    do k = 1, nzl
      do j = 1, ny
        do i = 1, nx
          u(i, j, k) = field(i - 1, j - 1, me*nzl + k - 1, 0)
        end do
      end do
    end do
  end subroutine initial_field

  pure complex(dp) function field(i, j, k, step)
    integer, intent(in) :: i, j, k, step
    real(dp) :: phase, decay
    integer :: m

    field = 0
    do m = 1, nmodes
      phase = 2*pi * (real(kx(m)*i, dp)/nx + real(ky(m)*j, dp)/ny + real(kz(m)*k, dp)/nz)
      decay = exp(-4*pi**2*alpha * (kx(m)**2 + ky(m)**2 + kz(m)**2) * step)
      field = field + decay / m * cmplx(cos(phase), sin(phase), dp)
    end do
  end function field

  ! Factors of one step for each wave number of this process's pencils.
  subroutine decay_factors(f)
    real(dp), intent(out) :: f(nz, nxyl)
    integer :: i, k, xy, wx, wy, wz

    do i = 1, nxyl
      xy = me*nxyl + i - 1
      wx = wave_number(mod(xy, nx), nx)
      wy = wave_number(xy / nx, ny)
      do k = 1, nz
        wz = wave_number(k - 1, nz)
        f(k, i) = exp(-4*pi**2*alpha * (wx**2 + wy**2 + wz**2))
      end do
    end do
  end subroutine decay_factors

  pure integer function wave_number(i, n)
    integer, intent(in) :: i, n

    wave_number = mod(i + n/2, n) - n/2
  end function wave_number

  subroutine evolve(u, w, f)
    complex(dp), intent(inout) :: u(nz*nxyl)
    complex(dp), intent(out) :: w(nz*nxyl)
    real(dp), intent(in) :: f(nz*nxyl)
    integer :: i

    do i = 1, nz*nxyl
      u(i) = u(i) * f(i)
      w(i) = u(i)
    end do
  end subroutine evolve

  ! The sum of some scattered points of the field.
  subroutine checksum(u, total)
    complex(dp), intent(in) :: u(nx, ny, nzl)
    complex(dp), intent(out) :: total
    complex(dp) :: mine
    integer :: l, i, j, k

    mine = 0
    do l = 1, samples
      call sample(l, i, j, k)
      if (k / nzl == me) mine = mine + u(i + 1, j + 1, mod(k, nzl) + 1) / (real(nx, dp)*ny*nz)
    end do
    call mpi_allreduce(mine, total, 1, mpi_double_complex, mpi_sum, mpi_comm_world, ierr)
  end subroutine checksum

  function expected_checksum(step) result(total)
    integer, intent(in) :: step
    complex(dp) :: total
    integer :: l, i, j, k

    total = 0
    do l = 1, samples
      call sample(l, i, j, k)
      total = total + field(i, j, k, step)
    end do
  end function expected_checksum

  pure subroutine sample(l, i, j, k)
    integer, intent(in) :: l
    integer, intent(out) :: i, j, k

    i = mod(l, nx)
    j = mod(3*l + 1, ny)
    k = mod(5*l + 2, nz)
  end subroutine sample

end module heat_modes
