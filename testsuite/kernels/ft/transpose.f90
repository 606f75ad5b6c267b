! The transposes between "x and y local" and "z local": a local one, an exchange of all with all, and putting together.
module transposes
  use mpi
  use ft_data
  implicit none
  private
  public :: transpose_xy_z, transpose_z_xy

contains

  ! xin(xy, z) to xout(z, xy); scratch is as large.
  subroutine transpose_xy_z(xin, scratch, xout)
    complex(dp), intent(in) :: xin(nx*ny, nzl)
    complex(dp), intent(inout) :: scratch(nzl, nx*ny), xout(nz*nxyl)

    call transpose_local(nx*ny, nzl, xin, xout)
    call transpose_global(xout, scratch)
    call gather_z(scratch, xout)
  end subroutine transpose_xy_z

  subroutine transpose_z_xy(xin, scratch, xout)
    complex(dp), intent(in) :: xin(nz, nxyl)
    complex(dp), intent(inout) :: scratch(nz*nxyl), xout(nx*ny*nzl)

    call scatter_z(xin, xout)
    call transpose_global(xout, scratch)
    call transpose_local(nzl, nx*ny, scratch, xout)
  end subroutine transpose_z_xy

  ! In blocks that fit a cache.
  subroutine transpose_local(n1, n2, a, b)
    integer, intent(in) :: n1, n2
    complex(dp), intent(in) :: a(n1, n2)
    complex(dp), intent(out) :: b(n2, n1)
    integer, parameter :: block = 16
    integer :: i, j, ii, jj

    do j = 1, n2, block
      do i = 1, n1, block
        do jj = j, min(j + block - 1, n2)
          do ii = i, min(i + block - 1, n1)
            b(jj, ii) = a(ii, jj)
          end do
        end do
      end do
    end do
  end subroutine transpose_local

  subroutine transpose_global(a, b)
    complex(dp), intent(in) :: a(nzl*nxyl*np)
    complex(dp), intent(out) :: b(nzl*nxyl*np)

    call mpi_alltoall(a, nzl*nxyl, mpi_double_complex, b, nzl*nxyl, mpi_double_complex, mpi_comm_world, ierr)
  end subroutine transpose_global

  subroutine gather_z(a, b)
    complex(dp), intent(in) :: a(nzl, nxyl, 0:np-1)
    complex(dp), intent(out) :: b(nz, nxyl)
    integer :: p, i, k

    do p = 0, np - 1
      do i = 1, nxyl
        do k = 1, nzl
          b(k + p*nzl, i) = a(k, i, p)
        end do
      end do
    end do
  end subroutine gather_z

  subroutine scatter_z(a, b)
    complex(dp), intent(in) :: a(nz, nxyl)
    complex(dp), intent(out) :: b(nzl, nxyl, 0:np-1)
    integer :: p, i, k

    do p = 0, np - 1
      do i = 1, nxyl
        do k = 1, nzl
          b(k, i, p) = a(k + p*nzl, i)
        end do
      end do
    end do
  end subroutine scatter_z

end module transposes
