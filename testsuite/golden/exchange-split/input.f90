! A field on a grid of processes: one procedure exchanges its halo and unpacks the columns, another one computes with it. The source of
! the next step needs nothing of the exchange.
module grid
  use mpi
  implicit none
  private
  public :: open_grid, exchange, advance, heat, checksum
  integer, public :: nx, ny, steps
  double precision, allocatable, public :: u(:, :), v(:, :), q(:, :)
  integer :: comm, west, east, south, north, ierr

contains

  subroutine open_grid()
    integer :: dims(2), rank, ranks, i, j
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    dims = 0
    call mpi_dims_create(ranks, 2, dims, ierr)
    call mpi_cart_create(mpi_comm_world, 2, dims, [.false., .true.], .false., comm, ierr)
    call mpi_comm_rank(comm, rank, ierr)
    call mpi_cart_shift(comm, 0, 1, west, east, ierr)
    call mpi_cart_shift(comm, 1, 1, south, north, ierr)
    nx = 300
    ny = 40
    steps = 6
    allocate (u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1), q(nx, ny))
    u = 0.0d0
    v = 0.0d0
    do j = 1, ny
      do i = 1, nx
        u(i, j) = dble(rank + 1) + dble(mod(i * j, 11)) * 0.125d0
      end do
    end do
  end subroutine open_grid

  ! Rows travel as they lie, columns are packed.
  subroutine exchange(a)
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    double precision :: to_west(64), to_east(64), from_west(64), from_east(64)
    integer :: requests(8), j, statuses(mpi_status_size, 8)
    logical :: has_west, has_east

    has_west = west /= mpi_proc_null
    has_east = east /= mpi_proc_null
    call mpi_irecv(from_west, ny, mpi_double_precision, west, 1, comm, requests(1), ierr)
    call mpi_irecv(from_east, ny, mpi_double_precision, east, 2, comm, requests(2), ierr)
    call mpi_irecv(a(1, 0), nx, mpi_double_precision, south, 3, comm, requests(3), ierr)
    call mpi_irecv(a(1, ny + 1), nx, mpi_double_precision, north, 4, comm, requests(4), ierr)
    do j = 1, ny
      to_west(j) = a(1, j)
      to_east(j) = a(nx, j)
    end do
    call mpi_isend(to_east, ny, mpi_double_precision, east, 1, comm, requests(5), ierr)
    call mpi_isend(to_west, ny, mpi_double_precision, west, 2, comm, requests(6), ierr)
    call mpi_isend(a(1, ny), nx, mpi_double_precision, north, 3, comm, requests(7), ierr)
    call mpi_isend(a(1, 1), nx, mpi_double_precision, south, 4, comm, requests(8), ierr)

    ! What has come goes into the columns of the halo.
    call mpi_waitall(8, requests, statuses, ierr)
    if (has_west) then
      do j = 1, ny
        a(0, j) = from_west(j)
      end do
    end if
    if (has_east) then
      do j = 1, ny
        a(nx + 1, j) = from_east(j)
      end do
    end if
  end subroutine exchange

  subroutine heat(step)
    integer, intent(in) :: step
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        q(i, j) = dble(mod(i + j * step, 7)) * 0.25d0
      end do
    end do
  end subroutine heat

  subroutine advance(a, b)
    double precision, intent(in) :: a(0:nx+1, 0:ny+1)
    double precision, intent(out) :: b(0:nx+1, 0:ny+1)
    double precision :: rate
    integer :: i, j
    rate = 0.125d0
    do j = 1, ny
      do i = 1, nx
        b(i, j) = a(i, j) + rate * (a(i-1, j) + a(i+1, j) + a(i, j-1) + a(i, j+1) - 4.0d0 * a(i, j)) + q(i, j)
      end do
    end do
  end subroutine advance

  double precision function checksum(a)
    double precision, intent(in) :: a(0:nx+1, 0:ny+1)
    double precision :: own
    own = sum(a) + 2.0d0 * sum(a(0, :)) + 3.0d0 * sum(a(:, 0))
    call mpi_allreduce(own, checksum, 1, mpi_double_precision, mpi_sum, comm, ierr)
  end function checksum

end module grid

program exchange_split
  use mpi
  use grid, only: u, v, steps, open_grid, exchange, advance, heat, checksum
  implicit none
  integer :: ierr, rank, step
  double precision :: total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call open_grid()
  call heat(0)
  do step = 1, steps
    call exchange(u)
    call heat(step)
    call advance(u, v)
    call exchange(v)
    call advance(v, u)
  end do
  total = checksum(u)
  if (rank == 0) print '(a, es24.16)', 'total', total
  call exchange(u)
  total = checksum(u)
  if (rank == 0) print '(a, es24.16)', 'again', total
  call mpi_finalize(ierr)
end program exchange_split
