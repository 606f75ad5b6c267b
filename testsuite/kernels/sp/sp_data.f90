! SP: the multi-partition, the fields, and the coefficients.
module sp_data
  use mpi
  implicit none

  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: pi = 3.14159265358979323846_dp

  integer :: me, nprocs, ncells
  integer :: n_grid, niter, largest              ! points in each direction, steps, points of the largest cell
  real(dp), parameter :: dt = 0.6_dp, dissipation = 0.05_dp
  real(dp), parameter :: viscosity(5) = [0.9_dp, 1.0_dp, 1.1_dp, 1.2_dp, 1.3_dp]

  integer, allocatable :: cell_coord(:,:), cell_low(:,:), cell_size(:,:), slice(:,:)
  integer :: predecessor(3), successor(3)

  ! Two ghost points on each side.  lhs: the two coefficients to the right that elimination leaves.
  real(dp), allocatable :: u(:,:,:,:,:), rhs(:,:,:,:,:), lhs(:,:,:,:,:,:)

contains

  subroutine choose_class()
    character(len=8) :: name
    integer :: ierr

    name = 'tiny'
    if (command_argument_count() > 0) call get_command_argument(1, name)
    select case (name)
    case ('tiny')
      n_grid = 12;  niter = 10
    case ('small')
      n_grid = 36;  niter = 30
    case ('medium')
      n_grid = 64;  niter = 25
    case ('large')
      n_grid = 120; niter = 300
    case default
      if (me == 0) write (0, *) 'SP: no class ', name
      call mpi_abort(mpi_comm_world, 2, ierr)
    end select
    if (me == 0) write (*, '(3a,2(i0,a))') 'SP class ', trim(name), ': ', n_grid, '^3 points, ', niter, ' steps'
  end subroutine choose_class

  ! Each process has one cell in every slab of each direction.
  subroutine multi_partition()
    integer :: c, d, row, col, q, base, rest, ierr

    q = nint(sqrt(real(nprocs, dp)))
    if (q*q /= nprocs .or. n_grid < 2*q) then
      if (me == 0) write (0, *) 'SP runs on q**2 processes'
      call mpi_abort(mpi_comm_world, 2, ierr)
    end if
    ncells = q
    allocate (cell_coord(3, q), cell_low(3, q), cell_size(3, q), slice(3, q))
    col = mod(me, q)
    row = me / q
    base = n_grid / q
    rest = mod(n_grid, q)
    largest = base + min(rest, 1)
    do c = 1, q
      cell_coord(:, c) = [mod(col + c - 1, q), mod(row - c + 1 + q, q), c - 1]
      do d = 1, 3
        cell_size(d, c) = base
        if (cell_coord(d, c) < rest) cell_size(d, c) = base + 1
        cell_low(d, c) = cell_coord(d, c)*base + min(cell_coord(d, c), rest)
        slice(d, cell_coord(d, c) + 1) = c
      end do
    end do
    successor = [mod(col + 1, q) + q*row, col + q*mod(row + 1, q), mod(col - 1 + q, q) + q*mod(row + 1, q)]
    predecessor = [mod(col - 1 + q, q) + q*row, col + q*mod(row - 1 + q, q), mod(col + 1, q) + q*mod(row - 1 + q, q)]
    allocate (u(5, -1:largest+2, -1:largest+2, -1:largest+2, q), rhs(5, -1:largest+2, -1:largest+2, -1:largest+2, q))
    allocate (lhs(2, 5, -1:largest, -1:largest, -1:largest, q))
    u = 0
    rhs = 0
    lhs = 0
  end subroutine multi_partition

end module sp_data
