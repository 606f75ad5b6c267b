! The explicit part of a step, and the modes that the solution consists of.
module steps
  use mpi
  use sp_data
  implicit none
  private
  public :: initialise, compute_rhs, add_change, error_norm, change_norm

  integer, parameter :: waves(3, 2) = reshape([1, 1, 1, 3, 2, 4], [3, 2])

contains

  subroutine initialise()
    integer :: c, i, j, k, m

    do c = 1, ncells
      do k = 1, cell_size(3, c)
        do j = 1, cell_size(2, c)
          do i = 1, cell_size(1, c)
            do m = 1, 5
              u(m, i, j, k, c) = m * mode(1, i, j, k, c) + mode(2, i, j, k, c) / m
            end do
          end do
        end do
      end do
    end do
  end subroutine initialise

  real(dp) function mode(which, i, j, k, c)
    integer, intent(in) :: which, i, j, k, c
    real(dp) :: w

    w = pi / (n_grid + 1)
    mode = sin(w*waves(1, which)*(cell_low(1, c) + i)) * sin(w*waves(2, which)*(cell_low(2, c) + j)) &
         * sin(w*waves(3, which)*(cell_low(3, c) + k))
  end function mode

  ! By what a step multiplies a mode of component m.
  real(dp) function factor(which, m)
    integer, intent(in) :: which, m
    real(dp) :: eigenvalue, change, implicit_part
    integer :: d

    change = 0
    implicit_part = 1
    do d = 1, 3
      eigenvalue = 2 - 2*cos(pi*waves(d, which) / (n_grid + 1))
      change = change - dt*(viscosity(m)*eigenvalue + dissipation*eigenvalue**2)
      implicit_part = implicit_part * (1 + dt*(viscosity(m)*eigenvalue + dissipation*eigenvalue**2))
    end do
    factor = 1 + change / implicit_part
  end function factor

  subroutine compute_rhs()
    integer :: c, i, j, k, m
    real(dp) :: second, fourth

    do c = 1, ncells
      do k = 1, cell_size(3, c)
        do j = 1, cell_size(2, c)
          do i = 1, cell_size(1, c)
            do m = 1, 5
              second = 6*u(m,i,j,k,c) - u(m,i-1,j,k,c) - u(m,i+1,j,k,c) - u(m,i,j-1,k,c) - u(m,i,j+1,k,c) &
                     - u(m,i,j,k-1,c) - u(m,i,j,k+1,c)
              fourth = 18*u(m,i,j,k,c) &
                     - 4*(u(m,i-1,j,k,c) + u(m,i+1,j,k,c) + u(m,i,j-1,k,c) + u(m,i,j+1,k,c) &
                        + u(m,i,j,k-1,c) + u(m,i,j,k+1,c)) &
                     + u(m,i-2,j,k,c) + u(m,i+2,j,k,c) + u(m,i,j-2,k,c) + u(m,i,j+2,k,c) &
                     + u(m,i,j,k-2,c) + u(m,i,j,k+2,c)
              rhs(m,i,j,k,c) = -dt * (viscosity(m)*second + dissipation*fourth)
            end do
          end do
        end do
      end do
    end do
  end subroutine compute_rhs

  subroutine add_change()
    integer :: c, i, j, k, m

    do c = 1, ncells
      do k = 1, cell_size(3, c)
        do j = 1, cell_size(2, c)
          do i = 1, cell_size(1, c)
            do m = 1, 5
              u(m, i, j, k, c) = u(m, i, j, k, c) + rhs(m, i, j, k, c)
            end do
          end do
        end do
      end do
    end do
  end subroutine add_change

  real(dp) function change_norm()
    integer :: c, i, j, k, ierr
    real(dp) :: mine

    mine = 0
    do c = 1, ncells
      do k = 1, cell_size(3, c)
        do j = 1, cell_size(2, c)
          do i = 1, cell_size(1, c)
            mine = mine + sum(rhs(:, i, j, k, c)**2)
          end do
        end do
      end do
    end do
    call mpi_allreduce(mine, change_norm, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    change_norm = sqrt(change_norm / real(n_grid, dp)**3)
  end function change_norm

  real(dp) function error_norm()
    integer :: c, i, j, k, m, ierr
    real(dp) :: mine, amplitude(5, 2)

    do m = 1, 5
      amplitude(m, 1) = m * factor(1, m)**niter
      amplitude(m, 2) = factor(2, m)**niter / m
    end do
    mine = 0
    do c = 1, ncells
      do k = 1, cell_size(3, c)
        do j = 1, cell_size(2, c)
          do i = 1, cell_size(1, c)
            mine = max(mine, maxval(abs(u(:, i, j, k, c) - amplitude(:, 1)*mode(1, i, j, k, c) &
                                        - amplitude(:, 2)*mode(2, i, j, k, c))))
          end do
        end do
      end do
    end do
    call mpi_allreduce(mine, error_norm, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  end function error_norm

end module steps
