! The faces of all cells, two points deep, to the six neighbours.
module faces
  use mpi
  use sp_data
  implicit none
  private
  public :: faces_init, copy_faces

  integer, parameter :: tag_up(3) = [110, 120, 130], tag_down(3) = [111, 121, 131]
  real(dp), allocatable :: west_out(:), west_in(:), east_out(:), east_in(:)
  real(dp), allocatable :: south_out(:), south_in(:), north_out(:), north_in(:)
  real(dp), allocatable :: bottom_out(:), bottom_in(:), top_out(:), top_in(:)
  integer :: message(3)                          ! values of a message in each direction

contains

  subroutine faces_init()
    integer :: c, d

    message = 0
    do c = 1, ncells
      do d = 1, 3
        if (cell_coord(d, c) /= 0) message(d) = message(d) + 10 * product(cell_size(:, c)) / cell_size(d, c)
      end do
    end do
    allocate (west_out(message(1)), west_in(message(1)), east_out(message(1)), east_in(message(1)))
    allocate (south_out(message(2)), south_in(message(2)), north_out(message(2)), north_in(message(2)))
    allocate (bottom_out(message(3)), bottom_in(message(3)), top_out(message(3)), top_in(message(3)))
  end subroutine faces_init

  subroutine copy_faces()
    integer :: requests(12), statuses(mpi_status_size, 12), ierr
    integer :: c, i, j, k, m, n

    call reflect()
    if (ncells == 1) return

    call mpi_irecv(west_in, message(1), mpi_double_precision, predecessor(1), tag_up(1), mpi_comm_world, &
                   requests(1), ierr)
    call mpi_irecv(east_in, message(1), mpi_double_precision, successor(1), tag_down(1), mpi_comm_world, &
                   requests(2), ierr)
    call mpi_irecv(south_in, message(2), mpi_double_precision, predecessor(2), tag_up(2), mpi_comm_world, &
                   requests(3), ierr)
    call mpi_irecv(north_in, message(2), mpi_double_precision, successor(2), tag_down(2), mpi_comm_world, &
                   requests(4), ierr)
    call mpi_irecv(bottom_in, message(3), mpi_double_precision, predecessor(3), tag_up(3), mpi_comm_world, &
                   requests(5), ierr)
    call mpi_irecv(top_in, message(3), mpi_double_precision, successor(3), tag_down(3), mpi_comm_world, &
                   requests(6), ierr)

    n = 0
    do c = 1, ncells
      if (cell_coord(1, c) /= ncells - 1) then
        do k = 1, cell_size(3, c)
          do j = 1, cell_size(2, c)
            do i = cell_size(1, c) - 1, cell_size(1, c)
              do m = 1, 5
                east_out(n + m) = u(m, i, j, k, c)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    call mpi_isend(east_out, message(1), mpi_double_precision, successor(1), tag_up(1), mpi_comm_world, &
                   requests(7), ierr)
    n = 0
    do c = 1, ncells
      if (cell_coord(1, c) /= 0) then
        do k = 1, cell_size(3, c)
          do j = 1, cell_size(2, c)
            do i = 1, 2
              do m = 1, 5
                west_out(n + m) = u(m, i, j, k, c)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    call mpi_isend(west_out, message(1), mpi_double_precision, predecessor(1), tag_down(1), mpi_comm_world, &
                   requests(8), ierr)

    n = 0
    do c = 1, ncells
      if (cell_coord(2, c) /= ncells - 1) then
        do k = 1, cell_size(3, c)
          do j = cell_size(2, c) - 1, cell_size(2, c)
            do i = 1, cell_size(1, c)
              do m = 1, 5
                north_out(n + m) = u(m, i, j, k, c)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    call mpi_isend(north_out, message(2), mpi_double_precision, successor(2), tag_up(2), mpi_comm_world, &
                   requests(9), ierr)
    n = 0
    do c = 1, ncells
      if (cell_coord(2, c) /= 0) then
        do k = 1, cell_size(3, c)
          do j = 1, 2
            do i = 1, cell_size(1, c)
              do m = 1, 5
                south_out(n + m) = u(m, i, j, k, c)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    call mpi_isend(south_out, message(2), mpi_double_precision, predecessor(2), tag_down(2), mpi_comm_world, &
                   requests(10), ierr)

    n = 0
    do c = 1, ncells
      if (cell_coord(3, c) /= ncells - 1) then
        do k = cell_size(3, c) - 1, cell_size(3, c)
          do j = 1, cell_size(2, c)
            do i = 1, cell_size(1, c)
              do m = 1, 5
                top_out(n + m) = u(m, i, j, k, c)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    call mpi_isend(top_out, message(3), mpi_double_precision, successor(3), tag_up(3), mpi_comm_world, &
                   requests(11), ierr)
    n = 0
    do c = 1, ncells
      if (cell_coord(3, c) /= 0) then
        do k = 1, 2
          do j = 1, cell_size(2, c)
            do i = 1, cell_size(1, c)
              do m = 1, 5
                bottom_out(n + m) = u(m, i, j, k, c)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    call mpi_isend(bottom_out, message(3), mpi_double_precision, predecessor(3), tag_down(3), mpi_comm_world, &
                   requests(12), ierr)

    call mpi_waitall(12, requests, statuses, ierr)

    n = 0
    do c = 1, ncells
      if (cell_coord(1, c) /= 0) then
        do k = 1, cell_size(3, c)
          do j = 1, cell_size(2, c)
            do i = -1, 0
              do m = 1, 5
                u(m, i, j, k, c) = west_in(n + m)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    n = 0
    do c = 1, ncells
      if (cell_coord(1, c) /= ncells - 1) then
        do k = 1, cell_size(3, c)
          do j = 1, cell_size(2, c)
            do i = cell_size(1, c) + 1, cell_size(1, c) + 2
              do m = 1, 5
                u(m, i, j, k, c) = east_in(n + m)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    n = 0
    do c = 1, ncells
      if (cell_coord(2, c) /= 0) then
        do k = 1, cell_size(3, c)
          do j = -1, 0
            do i = 1, cell_size(1, c)
              do m = 1, 5
                u(m, i, j, k, c) = south_in(n + m)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    n = 0
    do c = 1, ncells
      if (cell_coord(2, c) /= ncells - 1) then
        do k = 1, cell_size(3, c)
          do j = cell_size(2, c) + 1, cell_size(2, c) + 2
            do i = 1, cell_size(1, c)
              do m = 1, 5
                u(m, i, j, k, c) = north_in(n + m)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    n = 0
    do c = 1, ncells
      if (cell_coord(3, c) /= 0) then
        do k = -1, 0
          do j = 1, cell_size(2, c)
            do i = 1, cell_size(1, c)
              do m = 1, 5
                u(m, i, j, k, c) = bottom_in(n + m)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
    n = 0
    do c = 1, ncells
      if (cell_coord(3, c) /= ncells - 1) then
        do k = cell_size(3, c) + 1, cell_size(3, c) + 2
          do j = 1, cell_size(2, c)
            do i = 1, cell_size(1, c)
              do m = 1, 5
                u(m, i, j, k, c) = top_in(n + m)
              end do
              n = n + 5
            end do
          end do
        end do
      end if
    end do
  end subroutine copy_faces

  ! Outside the grid the solution is odd: nothing at its faces, what lies behind them reflected.
  subroutine reflect()
    integer :: c, s

    do c = 1, ncells
      if (cell_coord(1, c) == 0) then
        u(:, 0, :, :, c) = 0
        u(:, -1, :, :, c) = -u(:, 1, :, :, c)
      end if
      if (cell_coord(1, c) == ncells - 1) then
        s = cell_size(1, c)
        u(:, s+1, :, :, c) = 0
        u(:, s+2, :, :, c) = -u(:, s, :, :, c)
      end if
      if (cell_coord(2, c) == 0) then
        u(:, :, 0, :, c) = 0
        u(:, :, -1, :, c) = -u(:, :, 1, :, c)
      end if
      if (cell_coord(2, c) == ncells - 1) then
        s = cell_size(2, c)
        u(:, :, s+1, :, c) = 0
        u(:, :, s+2, :, c) = -u(:, :, s, :, c)
      end if
      if (cell_coord(3, c) == 0) then
        u(:, :, :, 0, c) = 0
        u(:, :, :, -1, c) = -u(:, :, :, 1, c)
      end if
      if (cell_coord(3, c) == ncells - 1) then
        s = cell_size(3, c)
        u(:, :, :, s+1, c) = 0
        u(:, :, :, s+2, c) = -u(:, :, :, s, c)
      end if
    end do
  end subroutine reflect

end module faces
