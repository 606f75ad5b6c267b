! The grid and how it is divided: blocks of a three-dimensional Cartesian process grid.
module grid
  use mpi_f08
  implicit none
  public

  integer, parameter :: dp = kind(1.0d0)

  type(mpi_comm) :: cart
  integer :: rank, nprocs
  integer :: dims(3), coords(3)
  integer :: west, east, south, north, bottom, top

  integer :: n_global               ! interior points in each direction
  integer :: nsteps
  integer :: nx, ny, nz             ! interior points of this process
  integer :: ox, oy, oz             ! what lies before them
  real(dp) :: h

contains

  subroutine read_class(class_name)
    character(len=*), intent(out) :: class_name

    class_name = 'tiny'
    if (command_argument_count() >= 1) call get_command_argument(1, class_name)
    select case (trim(class_name))
    case ('tiny')
      n_global = 24;  nsteps = 10
    case ('small')
      n_global = 64;  nsteps = 20
    case ('medium')
      n_global = 160; nsteps = 60
    case ('large')
      n_global = 320; nsteps = 300
    case default
      if (rank == 0) print '(3a)', 'stencil3d: unknown class ', trim(class_name), ' (tiny, small, medium, large)'
      call mpi_abort(mpi_comm_world, 2)
    end select
  end subroutine read_class

  subroutine divide_grid()
    logical, parameter :: periods(3) = [.false., .false., .false.]

    dims = 0
    call mpi_dims_create(nprocs, 3, dims)
    call mpi_cart_create(mpi_comm_world, 3, dims, periods, .false., cart)
    call mpi_comm_rank(cart, rank)
    call mpi_cart_coords(cart, rank, 3, coords)
    call mpi_cart_shift(cart, 0, 1, west, east)
    call mpi_cart_shift(cart, 1, 1, south, north)
    call mpi_cart_shift(cart, 2, 1, bottom, top)
    call block_of(n_global, dims(1), coords(1), nx, ox)
    call block_of(n_global, dims(2), coords(2), ny, oy)
    call block_of(n_global, dims(3), coords(3), nz, oz)
    h = 1.0_dp / real(n_global + 1, dp)
  end subroutine divide_grid

  pure subroutine block_of(n, parts, part, length, offset)
    integer, intent(in) :: n, parts, part
    integer, intent(out) :: length, offset

    length = n / parts
    offset = part * length + min(part, mod(n, parts))
    if (part < mod(n, parts)) length = length + 1
  end subroutine block_of

end module grid
