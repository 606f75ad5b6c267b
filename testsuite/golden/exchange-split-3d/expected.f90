! Three dimensions, two ghost layers in the last one, and a second stage of the exchange: the planes of the last dimension hold what has
! come for the second one.
module box
  use mpi_f08
  implicit none
  integer, parameter :: nx = 70, ny = 20, nz = 12
  real, allocatable :: a(:, :, :), b(:, :, :)
  type(mpi_comm) :: comm
  integer :: down, up, front, back
  public :: gravel_halo_begin, gravel_halo_end, gravel_sweep_boxes

contains

  subroutine gravel_halo_begin(f)
    use gravel
    real, intent(inout) :: f(nx, 0:ny+1, -1:nz+2)
    real :: to_front(nx, nz), to_back(nx, nz), from_front(nx, nz), from_back(nx, nz)
    type(mpi_request) :: pending(4)
    integer :: k
    ! gravel: what the begin leaves to the end
    common /gravel_halo/ to_front, to_back, from_front, from_back, pending
    ! gravel: posted here, was line 18: call mpi_irecv(from_front, nx * nz, mpi_real, front, 1, comm, pendi...
    call gravel_post_rcv_buffer_rdma(from_front, nx * nz, mpi_real, front, 1, comm, pending(1))
    ! gravel: posted here, was line 19: call mpi_irecv(from_back, nx * nz, mpi_real, back, 2, comm, pending...
    call gravel_post_rcv_buffer_rdma(from_back, nx * nz, mpi_real, back, 2, comm, pending(2))
    do k = 1, nz
      to_front(:, k) = f(:, 1, k)
      to_back(:, k) = f(:, ny, k)
    end do
    ! gravel: sent without waiting, was line 24: call mpi_isend(to_back, nx * nz, mpi_real, back, 1, comm, ...
    call gravel_post_send(to_back, nx * nz, mpi_real, back, 1, comm, pending(3))
    ! gravel: sent without waiting, was line 25: call mpi_isend(to_front, nx * nz, mpi_real, front, 2, comm...
    call gravel_post_send(to_front, nx * nz, mpi_real, front, 2, comm, pending(4))
  end subroutine gravel_halo_begin

  ! gravel: the rest of halo, behind work of those who call it
  subroutine gravel_halo_end(f)
    use gravel
    real, intent(inout) :: f(nx, 0:ny+1, -1:nz+2)
    real :: to_front(nx, nz), to_back(nx, nz), from_front(nx, nz), from_back(nx, nz)
    type(mpi_request) :: pending(4), later(4)
    integer :: k
    ! gravel: what the begin leaves to the end
    common /gravel_halo/ to_front, to_back, from_front, from_back, pending
    ! gravel: waits here, was line 26: call mpi_waitall(4, pending, mpi_statuses_ignore)
    call gravel_waitall(4, pending)
    call gravel_f_sync_reg(from_front)
    call gravel_f_sync_reg(from_back)
    call gravel_f_sync_reg(to_back)
    call gravel_f_sync_reg(to_front)
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
    ! gravel: posted here, was line 38: call mpi_irecv(f(1, 0, -1), 2 * nx * (ny + 2), mpi_real, down, 3, c...
    call gravel_post_rcv_buffer_rdma(f(1, 0, -1), 2 * nx * (ny + 2), mpi_real, down, 3, comm, later(1))
    ! gravel: posted here, was line 39: call mpi_irecv(f(1, 0, nz + 1), 2 * nx * (ny + 2), mpi_real, up, 4,...
    call gravel_post_rcv_buffer_rdma(f(1, 0, nz + 1), 2 * nx * (ny + 2), mpi_real, up, 4, comm, later(2))
    ! gravel: sent without waiting, was line 40: call mpi_isend(f(1, 0, nz - 1), 2 * nx * (ny + 2), mpi_rea...
    call gravel_post_send(f(1, 0, nz - 1), 2 * nx * (ny + 2), mpi_real, up, 3, comm, later(3))
    ! gravel: sent without waiting, was line 41: call mpi_isend(f(1, 0, 1), 2 * nx * (ny + 2), mpi_real, do...
    call gravel_post_send(f(1, 0, 1), 2 * nx * (ny + 2), mpi_real, down, 4, comm, later(4))
    ! gravel: waits here, was line 42: call mpi_waitall(4, later, mpi_statuses_ignore)
    call gravel_waitall(4, later)
    call gravel_f_sync_reg(f)
  end subroutine gravel_halo_end

  subroutine halo(f)
    real, intent(inout) :: f(nx, 0:ny+1, -1:nz+2)
    call gravel_halo_begin(f)
    call gravel_halo_end(f)
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

  ! gravel: sweep by boxes: 1 is its inside, 2 to 5 are its border
  subroutine gravel_sweep_boxes(gravel_first, gravel_last, f, g)
    real, intent(in) :: f(nx, 0:ny+1, -1:nz+2)
    real, intent(inout) :: g(nx, 0:ny+1, -1:nz+2)
    integer :: i, j, k
    integer, intent(in) :: gravel_first, gravel_last
    integer :: gravel_box, gravel_lo1, gravel_hi1, gravel_from1, gravel_to1, gravel_lo2, gravel_hi2, &
         gravel_from2, gravel_to2
    gravel_lo1 = 3
    gravel_hi1 = nz - 2
    if (gravel_lo1 > gravel_hi1) then
       gravel_lo1 = nz + 1
       gravel_hi1 = nz
    end if
    gravel_lo2 = 2
    gravel_hi2 = ny - 1
    if (gravel_lo2 > gravel_hi2) then
       gravel_lo2 = ny + 1
       gravel_hi2 = ny
    end if
    do gravel_box = gravel_first, gravel_last
       gravel_from1 = gravel_lo1
       gravel_to1 = gravel_hi1
       gravel_from2 = gravel_lo2
       gravel_to2 = gravel_hi2
       select case (gravel_box)
       case (2)
          gravel_from1 = 1
          gravel_to1 = gravel_lo1 - 1
          gravel_from2 = 1
          gravel_to2 = ny
       case (3)
          gravel_from1 = gravel_hi1 + 1
          gravel_to1 = nz
          gravel_from2 = 1
          gravel_to2 = ny
       case (4)
          gravel_from2 = 1
          gravel_to2 = gravel_lo2 - 1
       case (5)
          gravel_from2 = gravel_hi2 + 1
          gravel_to2 = ny
       end select
       do k = gravel_from1, gravel_to1
         do j = gravel_from2, gravel_to2
           do i = 1, nx
             g(i, j, k) = 0.5 * f(i, j, k) + 0.125 * (f(i, j - 1, k) + f(i, j + 1, k)) &
               + 0.0625 * (f(i, j, k - 2) + f(i, j, k - 1) + f(i, j, k + 1) + f(i, j, k + 2))
           end do
         end do
       end do
    end do
  end subroutine gravel_sweep_boxes

end module box

program exchange_split_3d
  use mpi_f08
  use box
  use gravel
  use box, only: gravel_halo_begin, gravel_halo_end, gravel_sweep_boxes
  implicit none
  integer :: rank, ranks, dims(2), i, j, k, step
  real :: total, everywhere

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_size(mpi_comm_world, ranks)
  dims = 0
  call mpi_dims_create(ranks, 2, dims)
  call mpi_cart_create(mpi_comm_world, 2, dims, [.true., .false.], .false., comm)
  ! gravel: the runtime is attached to the new communicator
  call gravel_attach(comm)
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
    ! gravel: begins here, was line 87: call halo(a)
    call gravel_halo_begin(a)
    ! gravel: its inside first where that is faster, was line 88: call sweep(a, b)
    if (gravel_worth_overlapping('input.f90:88')) then
       call gravel_sweep_boxes(1, 1, a, b)
       call gravel_halo_end(a)
       call gravel_sweep_boxes(2, 5, a, b)
    else
       call gravel_halo_end(a)
       call sweep(a, b)
    end if
    ! gravel: begins here, was line 89: call halo(b)
    call gravel_halo_begin(b)
    ! gravel: its inside first where that is faster, was line 90: call sweep(b, a)
    if (gravel_worth_overlapping('input.f90:90')) then
       call gravel_sweep_boxes(1, 1, b, a)
       call gravel_halo_end(b)
       call gravel_sweep_boxes(2, 5, b, a)
    else
       call gravel_halo_end(b)
       call sweep(b, a)
    end if
  end do
  total = maxval(a(:, 1:ny, 1:nz))
  call mpi_reduce(total, everywhere, 1, mpi_real, mpi_max, 0, comm)
  if (rank == 0) print '(a, es16.8)', 'largest', everywhere
  total = minval(a) + a(2, 0, 0) + a(3, 1, nz + 2)
  call mpi_reduce(total, everywhere, 1, mpi_real, mpi_max, 0, comm)
  if (rank == 0) print '(a, es16.8)', 'at the ends', everywhere
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program exchange_split_3d
