! Arrays of a module are handed to procedures that take them as they are: what all calls hand over says how their
! columns lie in memory.
module grid
  use mpi_f08
  implicit none
  type(mpi_comm) :: plane
  integer :: nx, ny, north, south, east, west
  double precision, allocatable :: f(:, :), g(:, :)

contains

  subroutine set_up()
    integer :: dimensions(2), processes, i, j, me
    logical :: is_periodic(2)

    call mpi_comm_size(mpi_comm_world, processes)
    dimensions = 0
    is_periodic = .false.
    call mpi_dims_create(processes, 2, dimensions)
    call mpi_cart_create(mpi_comm_world, 2, dimensions, is_periodic, .false., plane)
    call mpi_comm_rank(plane, me)
    call mpi_cart_shift(plane, 0, 1, west, east)
    call mpi_cart_shift(plane, 1, 1, south, north)
    nx = 60
    ny = 80
    allocate (f(0:nx+1, 0:ny+1), g(0:nx+1, 0:ny+1))
    f = 0.0d0
    g = 0.0d0
    do j = 1, ny
      do i = 1, nx
        f(i, j) = dble(mod(i * (me + 1) + 7 * j, 31)) * 0.125d0
      end do
    end do
  end subroutine set_up

  subroutine exchange(a)
    double precision, intent(inout) :: a(0:, 0:)
    double precision :: outgoing(ny, 2), incoming(ny, 2)
    type(mpi_request) :: requests(8)
    integer :: j

    do j = 1, ny
      outgoing(j, 1) = a(1, j)
      outgoing(j, 2) = a(nx, j)
    end do
    call mpi_irecv(incoming(1, 1), ny, mpi_double_precision, west, 10, plane, requests(1))
    call mpi_irecv(incoming(1, 2), ny, mpi_double_precision, east, 11, plane, requests(2))
    call mpi_irecv(a(1, 0), nx, mpi_double_precision, south, 12, plane, requests(3))
    call mpi_irecv(a(1, ny + 1), nx, mpi_double_precision, north, 13, plane, requests(4))
    call mpi_isend(outgoing(1, 1), ny, mpi_double_precision, west, 11, plane, requests(5))
    call mpi_isend(outgoing(1, 2), ny, mpi_double_precision, east, 10, plane, requests(6))
    call mpi_isend(a(1, 1), nx, mpi_double_precision, south, 13, plane, requests(7))
    call mpi_isend(a(1, ny), nx, mpi_double_precision, north, 12, plane, requests(8))
    call mpi_waitall(8, requests, mpi_statuses_ignore)
    do j = 1, ny
      if (west /= mpi_proc_null) a(0, j) = incoming(j, 1)
      if (east /= mpi_proc_null) a(nx + 1, j) = incoming(j, 2)
    end do
  end subroutine exchange

  subroutine smooth(from, to)
    double precision, intent(in) :: from(0:, 0:)
    double precision, intent(inout) :: to(0:, 0:)
    integer :: i, j

    do j = 1, ny
      do i = 1, nx
        to(i, j) = from(i, j) + 0.125d0 * (from(i-1, j) + from(i+1, j) + from(i, j-1) + from(i, j+1) - 4 * from(i, j))
      end do
    end do
  end subroutine smooth

end module grid

program assumed_shapes
  use grid
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i, j, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init()
  call set_up()
  call mpi_comm_rank(plane, rank)
  call mpi_comm_size(plane, ranks)
  do step = 1, 3
    call exchange(f)
    call smooth(f, g)
    call exchange(g)
    call smooth(g, f)
  end do
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + f(i, j) * dble(mod(i + 2*j, 13))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, plane)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize()
end program assumed_shapes
