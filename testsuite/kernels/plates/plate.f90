! A plate, and how its points are divided: blocks of a two-dimensional process grid.
module plate
  use mpi
  implicit none
  public

  integer, parameter :: dp = kind(1.0d0)

  type :: plate_shape
    integer :: columns, rows                ! interior points of the whole plate
    integer :: steps                        ! an even number
  end type plate_shape

  integer :: cart = mpi_comm_null
  integer :: rank, nprocs
  integer :: west, east, south, north
  integer :: nx, ny                         ! interior points of this process
  integer :: ox, oy                         ! what lies before them

contains

  ! A wide one, a tall and a very tall one: columns are what is sent, of 8, 32 and 128 KiB on two processes.
  subroutine choose(class_name, shapes, is_known)
    character(len=*), intent(in) :: class_name
    type(plate_shape), intent(out) :: shapes(3)
    logical, intent(out) :: is_known

    is_known = .true.
    select case (class_name)
    case ('tiny')
      shapes = [plate_shape(32, 1024, 6), plate_shape(16, 4096, 6), plate_shape(12, 16384, 4)]
    case ('small')
      shapes = [plate_shape(256, 1024, 600), plate_shape(128, 4096, 300), plate_shape(64, 16384, 150)]
    case ('medium')
      shapes = [plate_shape(256, 1024, 3000), plate_shape(128, 4096, 1500), plate_shape(64, 16384, 600)]
    case ('large')
      shapes = [plate_shape(256, 1024, 90000), plate_shape(128, 4096, 45000), plate_shape(64, 16384, 20000)]
    case default
      shapes = plate_shape(0, 0, 0)
      is_known = .false.
    end select
  end subroutine choose

  subroutine divide(shape)
    type(plate_shape), intent(in) :: shape
    integer :: dims(2), coords(2), ierr

    dims = 0
    call mpi_dims_create(nprocs, 2, dims, ierr)
    if (cart == mpi_comm_null) call mpi_cart_create(mpi_comm_world, 2, dims, [.false., .false.], .false., cart, ierr)
    call mpi_cart_coords(cart, rank, 2, coords, ierr)
    call mpi_cart_shift(cart, 0, 1, west, east, ierr)
    call mpi_cart_shift(cart, 1, 1, south, north, ierr)
    call share(shape%columns, dims(1), coords(1), nx, ox)
    call share(shape%rows, dims(2), coords(2), ny, oy)
  end subroutine divide

  pure subroutine share(points, parts, part, length, offset)
    integer, intent(in) :: points, parts, part
    integer, intent(out) :: length, offset

    offset = (points * part) / parts
    length = (points * (part + 1)) / parts - offset
  end subroutine share

end module plate
