! The exchange of halos in two halves, so that the interior can be computed in between.
module halo
  use mpi_f08
  use grid
  implicit none
  private
  public :: setup_halo, start_exchange, finish_exchange, free_halo

  integer, parameter :: tag_west = 101, tag_east = 102
  integer, parameter :: tag_south = 103, tag_north = 104
  integer, parameter :: tag_bottom = 105, tag_top = 106

  real(dp), allocatable :: west_send(:,:), west_recv(:,:), east_send(:,:), east_recv(:,:)
  real(dp), allocatable :: south_send(:,:), south_recv(:,:), north_send(:,:), north_recv(:,:)
  real(dp), allocatable :: bottom_send(:,:), bottom_recv(:,:), top_send(:,:), top_recv(:,:)
  type(mpi_request) :: requests(12)

contains

  subroutine setup_halo()
    allocate (west_send(ny, nz), west_recv(ny, nz), east_send(ny, nz), east_recv(ny, nz))
    allocate (south_send(nx, nz), south_recv(nx, nz), north_send(nx, nz), north_recv(nx, nz))
    allocate (bottom_send(nx, ny), bottom_recv(nx, ny), top_send(nx, ny), top_recv(nx, ny))
  end subroutine setup_halo

  subroutine free_halo()
    deallocate (west_send, west_recv, east_send, east_recv)
    deallocate (south_send, south_recv, north_send, north_recv)
    deallocate (bottom_send, bottom_recv, top_send, top_recv)
  end subroutine free_halo

  subroutine start_exchange(u)
    real(dp), intent(in) :: u(0:nx+1, 0:ny+1, 0:nz+1)
    integer :: i, j, k

    call mpi_irecv(west_recv, ny*nz, mpi_double_precision, west, tag_east, cart, requests(1))
    call mpi_irecv(east_recv, ny*nz, mpi_double_precision, east, tag_west, cart, requests(2))
    call mpi_irecv(south_recv, nx*nz, mpi_double_precision, south, tag_north, cart, requests(3))
    call mpi_irecv(north_recv, nx*nz, mpi_double_precision, north, tag_south, cart, requests(4))
    call mpi_irecv(bottom_recv, nx*ny, mpi_double_precision, bottom, tag_top, cart, requests(5))
    call mpi_irecv(top_recv, nx*ny, mpi_double_precision, top, tag_bottom, cart, requests(6))

    do k = 1, nz
      do j = 1, ny
        west_send(j, k) = u(1, j, k)
        east_send(j, k) = u(nx, j, k)
      end do
    end do
    call mpi_isend(west_send, ny*nz, mpi_double_precision, west, tag_west, cart, requests(7))
    call mpi_isend(east_send, ny*nz, mpi_double_precision, east, tag_east, cart, requests(8))

    do k = 1, nz
      do i = 1, nx
        south_send(i, k) = u(i, 1, k)
        north_send(i, k) = u(i, ny, k)
      end do
    end do
    call mpi_isend(south_send, nx*nz, mpi_double_precision, south, tag_south, cart, requests(9))
    call mpi_isend(north_send, nx*nz, mpi_double_precision, north, tag_north, cart, requests(10))

    do j = 1, ny
      do i = 1, nx
        bottom_send(i, j) = u(i, j, 1)
        top_send(i, j) = u(i, j, nz)
      end do
    end do
    call mpi_isend(bottom_send, nx*ny, mpi_double_precision, bottom, tag_bottom, cart, requests(11))
    call mpi_isend(top_send, nx*ny, mpi_double_precision, top, tag_top, cart, requests(12))
  end subroutine start_exchange

  subroutine finish_exchange(u)
    real(dp), intent(inout) :: u(0:nx+1, 0:ny+1, 0:nz+1)
    integer :: i, j, k

    call mpi_waitall(12, requests, mpi_statuses_ignore)

    if (west /= mpi_proc_null) then
      do k = 1, nz
        do j = 1, ny
          u(0, j, k) = west_recv(j, k)
        end do
      end do
    end if
    if (east /= mpi_proc_null) then
      do k = 1, nz
        do j = 1, ny
          u(nx+1, j, k) = east_recv(j, k)
        end do
      end do
    end if
    if (south /= mpi_proc_null) then
      do k = 1, nz
        do i = 1, nx
          u(i, 0, k) = south_recv(i, k)
        end do
      end do
    end if
    if (north /= mpi_proc_null) then
      do k = 1, nz
        do i = 1, nx
          u(i, ny+1, k) = north_recv(i, k)
        end do
      end do
    end if
    if (bottom /= mpi_proc_null) then
      do j = 1, ny
        do i = 1, nx
          u(i, j, 0) = bottom_recv(i, j)
        end do
      end do
    end if
    if (top /= mpi_proc_null) then
      do j = 1, ny
        do i = 1, nx
          u(i, j, nz+1) = top_recv(i, j)
        end do
      end do
    end if
  end subroutine finish_exchange

end module halo
