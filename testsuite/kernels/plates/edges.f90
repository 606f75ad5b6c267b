! The exchange of edges, all of it in one call: columns through buffers, rows from where they are.
module edges
  use mpi
  use plate
  implicit none
  private
  public :: make_room, exchange_edges

  integer, parameter :: tag_eastward = 11, tag_westward = 12, tag_northward = 13, tag_southward = 14

  real(dp), allocatable :: to_west(:), to_east(:), from_west(:), from_east(:)

contains

  subroutine make_room()
    if (allocated(to_west)) deallocate (to_west, to_east, from_west, from_east)
    allocate (to_west(ny), to_east(ny), from_west(ny), from_east(ny))
  end subroutine make_room

  subroutine exchange_edges(u)
    real(dp), intent(inout) :: u(0:nx+1, 0:ny+1)
    integer :: requests(8), j, ierr

    call mpi_irecv(from_west, ny, mpi_double_precision, west, tag_eastward, cart, requests(1), ierr)
    call mpi_irecv(from_east, ny, mpi_double_precision, east, tag_westward, cart, requests(2), ierr)
    call mpi_irecv(u(1, 0), nx, mpi_double_precision, south, tag_northward, cart, requests(3), ierr)
    call mpi_irecv(u(1, ny+1), nx, mpi_double_precision, north, tag_southward, cart, requests(4), ierr)

    do j = 1, ny
      to_west(j) = u(1, j)
      to_east(j) = u(nx, j)
    end do
    call mpi_isend(to_east, ny, mpi_double_precision, east, tag_eastward, cart, requests(5), ierr)
    call mpi_isend(to_west, ny, mpi_double_precision, west, tag_westward, cart, requests(6), ierr)
    call mpi_isend(u(1, ny), nx, mpi_double_precision, north, tag_northward, cart, requests(7), ierr)
    call mpi_isend(u(1, 1), nx, mpi_double_precision, south, tag_southward, cart, requests(8), ierr)
    call mpi_waitall(8, requests, mpi_statuses_ignore, ierr)

    if (west /= mpi_proc_null) then
      do j = 1, ny
        u(0, j) = from_west(j)
      end do
    end if
    if (east /= mpi_proc_null) then
      do j = 1, ny
        u(nx+1, j) = from_east(j)
      end do
    end if
  end subroutine exchange_edges

end module edges
