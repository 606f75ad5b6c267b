! Three dimensions, two ghost layers in the last one, and a second stage of the exchange: the planes of the last dimension hold what has
! come for the second one.
module box
  use mpi_f08
  implicit none
  integer, parameter :: nx = 70, ny = 20, nz = 12
  real, allocatable :: a(:, :, :), b(:, :, :)
  type(mpi_comm) :: comm
  integer :: down, up, front, back

contains

  subroutine halo(f)
    real, intent(inout) :: f(nx, 0:ny+1, -1:nz+2)
    real :: to_front(nx, nz), to_back(nx, nz), from_front(nx, nz), from_back(nx, nz)
    type(mpi_request) :: pending(4), later(4)
    integer :: k
    call mpi_irecv(from_front, nx * nz, mpi_real, front, 1, comm, pending(1))
    call mpi_irecv(from_back, nx * nz, mpi_real, back, 2, comm, pending(2))
    do k = 1, nz
      to_front(:, k) = f(:, 1, k)
      to_back(:, k) = f(:, ny, k)
    end do
    call mpi_isend(to_back, nx * nz, mpi_real, back, 1, comm, pending(3))
    call mpi_isend(to_front, nx * nz, mpi_real, front, 2, comm, pending(4))
    call mpi_waitall(4, pending, mpi_statuses_ignore)
    if (front /= mpi_proc_null) then
      do k = 1, nz
        f(:, 0, k) = from_front(:, k)
      end do
    end if
    if (back /= mpi_proc_null) then
      do k = 1, nz
        f(:, ny + 1, k) = from_back(:, k)
      end do
    end if
    ! The planes, with the rows that have just come.
    call mpi_irecv(f(1, 0, -1), 2 * nx * (ny + 2), mpi_real, down, 3, comm, later(1))
    call mpi_irecv(f(1, 0, nz + 1), 2 * nx * (ny + 2), mpi_real, up, 4, comm, later(2))
    call mpi_isend(f(1, 0, nz - 1), 2 * nx * (ny + 2), mpi_real, up, 3, comm, later(3))
    call mpi_isend(f(1, 0, 1), 2 * nx * (ny + 2), mpi_real, down, 4, comm, later(4))
    call mpi_waitall(4, later, mpi_statuses_ignore)
  end subroutine halo

  subroutine sweep(f, g)
    real, intent(in) :: f(nx, 0:ny+1, -1:nz+2)
    real, intent(inout) :: g(nx, 0:ny+1, -1:nz+2)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          g(i, j, k) = 0.5 * f(i, j, k) + 0.125 * (f(i, j - 1, k) + f(i, j + 1, k)) &
            + 0.0625 * (f(i, j, k - 2) + f(i, j, k - 1) + f(i, j, k + 1) + f(i, j, k + 2))
        end do
      end do
    end do
  end subroutine sweep

end module box

program exchange_split_3d
  use mpi_f08
  use box
  implicit none
  integer :: rank, ranks, dims(2), i, j, k, step
  real :: total, everywhere

  call mpi_init()
  call mpi_comm_size(mpi_comm_world, ranks)
  dims = 0
  call mpi_dims_create(ranks, 2, dims)
  call mpi_cart_create(mpi_comm_world, 2, dims, [.true., .false.], .false., comm)
  call mpi_comm_rank(comm, rank)
  call mpi_cart_shift(comm, 0, 1, down, up)
  call mpi_cart_shift(comm, 1, 1, front, back)
  allocate (a(nx, 0:ny+1, -1:nz+2), b(nx, 0:ny+1, -1:nz+2))
  a = 0.0
  b = 0.0
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        a(i, j, k) = real(mod(i + j * k + rank, 17))
      end do
    end do
  end do
  do step = 1, 4
    call halo(a)
    call sweep(a, b)
    call halo(b)
    call sweep(b, a)
  end do
  total = maxval(a(:, 1:ny, 1:nz))
  call mpi_reduce(total, everywhere, 1, mpi_real, mpi_max, 0, comm)
  if (rank == 0) print '(a, es16.8)', 'largest', everywhere
  total = minval(a) + a(2, 0, 0) + a(3, 1, nz + 2)
  call mpi_reduce(total, everywhere, 1, mpi_real, mpi_max, 0, comm)
  if (rank == 0) print '(a, es16.8)', 'at the ends', everywhere
  call mpi_finalize()
end program exchange_split_3d
