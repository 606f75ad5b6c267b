! Sizes, distribution and fields of the spectral solver.
module ft_data
  use mpi
  implicit none

  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: pi = 3.14159265358979323846_dp
  real(dp), parameter :: alpha = 1.0e-5_dp

  integer :: me, np, ierr
  integer :: nx, ny, nz, niter          ! the grid, time steps
  integer :: nzl                        ! planes of this process while x and y are local
  integer :: nxyl                       ! pencils of this process while z is local

  ! uhat: the spectrum (z, pencils).  u1, u2, u3: work space.
  complex(dp), allocatable :: uhat(:), u1(:), u2(:), u3(:)
  real(dp), allocatable :: twiddle(:)

contains

  subroutine choose_class(name)
    character(len=*), intent(out) :: name

    if (command_argument_count() < 1) then
      name = 'tiny'
    else
      call get_command_argument(1, name)
    end if
    select case (name)
    case ('tiny')
      nx = 16;  ny = 16;  nz = 8;   niter = 4
    case ('small')
      nx = 64;  ny = 64;  nz = 32;  niter = 6
    case ('medium')
      nx = 128; ny = 128; nz = 128; niter = 10
    case ('large')
      nx = 256; ny = 256; nz = 256; niter = 40
    case default
      if (me == 0) write (*,*) 'FT: no such class: ', name
      call mpi_abort(mpi_comm_world, 2, ierr)
    end select
    if (mod(nz, np) /= 0) then
      if (me == 0) write (*,*) 'FT: the number of processes has to divide ', nz
      call mpi_abort(mpi_comm_world, 2, ierr)
    end if
    nzl = nz / np
    nxyl = nx * ny / np
  end subroutine choose_class

  subroutine allocate_fields()
    integer :: ntotal

    ntotal = nx * ny * nzl
    allocate (uhat(ntotal), u1(ntotal), u2(ntotal), u3(ntotal), twiddle(ntotal))
  end subroutine allocate_fields

end module ft_data
