! Scalar pentadiagonal systems along y, five for each line: elimination forwards, substitution backwards.
module y_lines
  use mpi
  use sp_data
  implicit none
  private
  public :: y_solve

  integer, parameter :: tag_forward = 241, tag_backward = 242

contains

  subroutine y_solve()
    real(dp), dimension(30*largest**2) :: in_buffer, out_buffer
    integer :: requests(2), statuses(mpi_status_size, 2), ierr
    integer :: c, stage, i, j, k, l, m, p, lines, size_here

    requests = mpi_request_null
    do stage = 1, ncells
      c = slice(2, stage)
      lines = cell_size(1, c) * cell_size(3, c)
      size_here = cell_size(2, c)
      if (stage > 1) then
        call mpi_irecv(in_buffer, 30*lines, mpi_double_precision, predecessor(2), tag_forward, mpi_comm_world, &
                       requests(1), ierr)
        call coefficients(c, stage == 1, stage == ncells)
        call mpi_waitall(2, requests, statuses, ierr)
        p = 0
        do k = 1, cell_size(3, c)
          do i = 1, cell_size(1, c)
            do l = -1, 0
              do m = 1, 5
                lhs(1, m, i, l, k, c) = in_buffer(p + 1)
                lhs(2, m, i, l, k, c) = in_buffer(p + 2)
                rhs(m, i, l, k, c) = in_buffer(p + 3)
                p = p + 3
              end do
            end do
          end do
        end do
      else
        call coefficients(c, stage == 1, stage == ncells)
      end if

      call eliminate(c)

      if (stage < ncells) then
        p = 0
        do k = 1, cell_size(3, c)
          do i = 1, cell_size(1, c)
            do l = size_here - 1, size_here
              do m = 1, 5
                out_buffer(p + 1) = lhs(1, m, i, l, k, c)
                out_buffer(p + 2) = lhs(2, m, i, l, k, c)
                out_buffer(p + 3) = rhs(m, i, l, k, c)
                p = p + 3
              end do
            end do
          end do
        end do
        call mpi_isend(out_buffer, 30*lines, mpi_double_precision, successor(2), tag_forward, mpi_comm_world, &
                       requests(2), ierr)
      end if
    end do

    do stage = ncells, 1, -1
      c = slice(2, stage)
      lines = cell_size(1, c) * cell_size(3, c)
      size_here = cell_size(2, c)
      if (stage < ncells) then
        call mpi_irecv(in_buffer, 10*lines, mpi_double_precision, successor(2), tag_backward, mpi_comm_world, &
                       requests(1), ierr)
        call mpi_waitall(2, requests, statuses, ierr)
        p = 0
        do k = 1, cell_size(3, c)
          do i = 1, cell_size(1, c)
            do l = size_here + 1, size_here + 2
              do m = 1, 5
                rhs(m, i, l, k, c) = in_buffer(p + m)
              end do
              p = p + 5
            end do
          end do
        end do
      else
        call mpi_wait(requests(2), statuses(:, 1), ierr)
        rhs(:, :, size_here+1:size_here+2, :, c) = 0
      end if

      do k = 1, cell_size(3, c)
        do j = size_here, 1, -1
          do i = 1, cell_size(1, c)
            do m = 1, 5
              rhs(m, i, j, k, c) = rhs(m, i, j, k, c) - lhs(1, m, i, j, k, c) * rhs(m, i, j+1, k, c) &
                                 - lhs(2, m, i, j, k, c) * rhs(m, i, j+2, k, c)
            end do
          end do
        end do
      end do

      if (stage > 1) then
        p = 0
        do k = 1, cell_size(3, c)
          do i = 1, cell_size(1, c)
            do l = 1, 2
              do m = 1, 5
                out_buffer(p + m) = rhs(m, i, l, k, c)
              end do
              p = p + 5
            end do
          end do
        end do
        call mpi_isend(out_buffer, 10*lines, mpi_double_precision, predecessor(2), tag_backward, mpi_comm_world, &
                       requests(2), ierr)
      end if
    end do
    call mpi_wait(requests(2), statuses(:, 1), ierr)
  end subroutine y_solve

  ! The coefficients to the right of the diagonal; none lead out of the grid.
  subroutine coefficients(c, is_first, is_last)
    integer, intent(in) :: c
    logical, intent(in) :: is_first, is_last
    integer :: i, j, k, m

    do k = 1, cell_size(3, c)
      do j = 1, cell_size(2, c)
        do i = 1, cell_size(1, c)
          do m = 1, 5
            lhs(1, m, i, j, k, c) = -dt * (viscosity(m) + 4 * dissipation)
            lhs(2, m, i, j, k, c) = dt * dissipation
            if (is_last .and. j >= cell_size(2, c) - 1) lhs(2, m, i, j, k, c) = 0
            if (is_last .and. j == cell_size(2, c)) lhs(1, m, i, j, k, c) = 0
          end do
        end do
      end do
    end do
    if (is_first) then
      lhs(:, :, :, -1:0, :, c) = 0
      rhs(:, :, -1:0, :, c) = 0
    end if
  end subroutine coefficients

  subroutine eliminate(c)
    integer, intent(in) :: c
    integer :: i, j, k, m, row
    real(dp) :: left, diagonal, far

    do k = 1, cell_size(3, c)
      do j = 1, cell_size(2, c)
        do i = 1, cell_size(1, c)
          row = cell_low(2, c) + j
          do m = 1, 5
            far = dt * dissipation
            if (row <= 2) far = 0
            left = -dt * (viscosity(m) + 4 * dissipation)
            if (row == 1) left = 0
            diagonal = 1 + dt * (2 * viscosity(m) + 6 * dissipation)
            if (row == 1 .or. row == n_grid) diagonal = diagonal - dt * dissipation
            left = left - far * lhs(1, m, i, j-2, k, c)
            diagonal = diagonal - far * lhs(2, m, i, j-2, k, c) - left * lhs(1, m, i, j-1, k, c)
            rhs(m, i, j, k, c) = (rhs(m, i, j, k, c) - far * rhs(m, i, j-2, k, c) &
                               - left * rhs(m, i, j-1, k, c)) / diagonal
            lhs(1, m, i, j, k, c) = (lhs(1, m, i, j, k, c) - left * lhs(2, m, i, j-1, k, c)) / diagonal
            lhs(2, m, i, j, k, c) = lhs(2, m, i, j, k, c) / diagonal
          end do
        end do
      end do
    end do
  end subroutine eliminate

end module y_lines
