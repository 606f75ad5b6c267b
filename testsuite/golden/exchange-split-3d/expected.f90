! Three dimensions, two ghost layers in the last one, and a second stage of the exchange: the planes of the last dimension hold what has
! come for the second one.
module box
  use mpi_f08
  use gravel, only: gravel_request_kind, gravel_request_null
  implicit none
  integer, parameter :: nx = 70, ny = 20, nz = 12
  real, allocatable :: a(:, :, :), b(:, :, :)
  type(mpi_comm) :: comm
  integer :: down, up, front, back
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_c1_sweep = gravel_request_null
  integer(gravel_request_kind), public :: gravel_c2_sweep = gravel_request_null
  integer(gravel_request_kind), public :: gravel_w1_halo
  integer(gravel_request_kind), public :: gravel_w2_halo
  integer(gravel_request_kind), public :: gravel_w3_halo
  integer(gravel_request_kind), public :: gravel_w4_halo

contains

  subroutine halo(f)
    use gravel
    real, intent(inout) :: f(nx, 0:ny+1, -1:nz+2)
    real :: to_front(nx, nz), to_back(nx, nz), from_front(nx, nz), from_back(nx, nz)
    type(mpi_request) :: pending(4), later(4)
    integer :: k
    integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
    integer :: gravel_lo1, gravel_hi1, gravel_step1
    ! gravel: posted here, was line 18: call mpi_irecv(from_front, nx * nz, mpi_real, front, 1, comm, pendi...
    call gravel_post_rcv_buffer_rdma(from_front, nx * nz, mpi_real, front, 1, comm, pending(1))
    ! gravel: posted here, was line 19: call mpi_irecv(from_back, nx * nz, mpi_real, back, 2, comm, pending...
    call gravel_post_rcv_buffer_rdma(from_back, nx * nz, mpi_real, back, 2, comm, pending(2))
    ! gravel: posted early, was line 38: call mpi_irecv(f(1, 0, -1), 2 * nx * (ny + 2), mpi_real, down, 3, ...
    call gravel_post_rcv_buffer_rdma(f(1, 0, -1), 2 * nx * (ny + 2), mpi_real, down, 3, comm, later(1))
    ! gravel: posted early, was line 39: call mpi_irecv(f(1, 0, nz + 1), 2 * nx * (ny + 2), mpi_real, up, 4...
    call gravel_post_rcv_buffer_rdma(f(1, 0, nz + 1), 2 * nx * (ny + 2), mpi_real, up, 4, comm, later(2))
    ! gravel: one handshake, a put per tile, was line 24: call mpi_isend(to_back, nx * nz, mpi_real, back, ...
    call gravel_wait_rcv_buffer(to_back, nx * nz, mpi_real, back, 1, comm, gravel_t1)
    ! gravel: one handshake, a put per tile, was line 25: call mpi_isend(to_front, nx * nz, mpi_real, front...
    call gravel_wait_rcv_buffer(to_front, nx * nz, mpi_real, front, 2, comm, gravel_t2)
    gravel_step1 = gravel_tile([gravel_t1, gravel_t2], nz, 1)
    do gravel_lo1 = 1, nz, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, nz - gravel_lo1)
       do k = gravel_lo1, gravel_hi1
         to_front(:, k) = f(:, 1, k)
         to_back(:, k) = f(:, ny, k)
       end do
       call gravel_post_os_put(gravel_t1, to_back, (gravel_lo1 - 1)*70, (gravel_hi1 - gravel_lo1 + 1)*70)
       call gravel_post_os_put(gravel_t2, to_front, (gravel_lo1 - 1)*70, (gravel_hi1 - gravel_lo1 + 1)*70)
    end do
    ! gravel: sent tile by tile above, was line 24: call mpi_isend(to_back, nx * nz, mpi_real, back, 1, com...
    call gravel_send_fin(gravel_t1, pending(3))
    ! gravel: sent tile by tile above, was line 25: call mpi_isend(to_front, nx * nz, mpi_real, front, 2, c...
    call gravel_send_fin(gravel_t2, pending(4))
    ! gravel: waits here, was line 26: call mpi_waitall(4, pending, mpi_statuses_ignore)
    call gravel_wait(pending(1), from_front)
    if (front /= mpi_proc_null) then
      do k = 1, nz
        f(:, 0, k) = from_front(:, k)
      end do
    end if
    ! gravel: the wait moved here, was line 26: call mpi_waitall(4, pending, mpi_statuses_ignore)
    call gravel_wait(pending(2), from_back)
    if (back /= mpi_proc_null) then
      do k = 1, nz
        f(:, ny + 1, k) = from_back(:, k)
      end do
    end if
    ! The planes, with the rows that have just come.
    ! gravel: moved away from here, was line 38: call mpi_irecv(f(1, 0, -1), 2 * nx * (ny + 2), mpi_real, down, 3, comm, later(1))
    ! gravel: moved away from here, was line 39: call mpi_irecv(f(1, 0, nz + 1), 2 * nx * (ny + 2), mpi_real, up, 4, comm, later(2))
    ! gravel: sent without waiting, was line 40: call mpi_isend(f(1, 0, nz - 1), 2 * nx * (ny + 2), mpi_rea...
    call gravel_post_send(f(1, 0, nz - 1), 2 * nx * (ny + 2), mpi_real, up, 3, comm, later(3))
    ! gravel: sent without waiting, was line 41: call mpi_isend(f(1, 0, 1), 2 * nx * (ny + 2), mpi_real, do...
    call gravel_post_send(f(1, 0, 1), 2 * nx * (ny + 2), mpi_real, down, 4, comm, later(4))
    ! gravel: moved away from here, was line 42: call mpi_waitall(4, later, mpi_statuses_ignore)
    gravel_w1_halo = later(1)%mpi_val
    gravel_w2_halo = later(2)%mpi_val
    gravel_w3_halo = later(3)%mpi_val
    gravel_w4_halo = later(4)%mpi_val
    ! gravel: the wait moved here, was line 26: call mpi_waitall(4, pending, mpi_statuses_ignore)
    call gravel_wait(pending(3), to_back)
    call gravel_wait(pending(4), to_front)
  end subroutine halo

  subroutine sweep(f, g)
    use gravel
    real, intent(in) :: f(nx, 0:ny+1, -1:nz+2)
    real, intent(inout) :: g(nx, 0:ny+1, -1:nz+2)
    integer :: i, j, k
    integer :: gravel_lo1, gravel_hi1, gravel_part1
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 3
    gravel_hi1 = nz - 2
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, for what callers have begun
          call gravel_wait(gravel_c1_sweep, f)
          call gravel_wait(gravel_c2_sweep, f)
          gravel_lo1 = 1
          gravel_hi1 = min(2, nz)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(3, nz - 1)
          gravel_hi1 = nz
       end if
       do k = gravel_lo1, gravel_hi1
         do j = 1, ny
           do i = 1, nx
             g(i, j, k) = 0.5 * f(i, j, k) + 0.125 * (f(i, j - 1, k) + f(i, j + 1, k)) &
               + 0.0625 * (f(i, j, k - 2) + f(i, j, k - 1) + f(i, j, k + 1) + f(i, j, k + 2))
           end do
         end do
       end do
    end do
  end subroutine sweep

end module box

program exchange_split_3d
  use mpi_f08
  use box
  use gravel
  use box, only: gravel_c1_sweep, gravel_c2_sweep, gravel_w1_halo, gravel_w2_halo, gravel_w3_halo, &
       gravel_w4_halo
  implicit none
  integer :: rank, ranks, dims(2), i, j, k, step
  real :: total, everywhere
  integer(gravel_request_kind) :: gravel_w1, gravel_w2

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
    call halo(a)
    ! gravel: waited for below
    gravel_w1 = gravel_w3_halo
    gravel_w2 = gravel_w4_halo
    ! gravel: waited for in `sweep`
    gravel_c1_sweep = gravel_w1_halo
    gravel_c2_sweep = gravel_w2_halo
    call sweep(a, b)
    call halo(b)
    ! gravel: waits here for what line 87 has begun: call halo(a)
    call gravel_wait(gravel_w1, a)
    call gravel_wait(gravel_w2, a)
    ! gravel: waited for in `sweep`
    gravel_c1_sweep = gravel_w1_halo
    gravel_c2_sweep = gravel_w2_halo
    call sweep(b, a)
    ! gravel: waits here for what line 89 has begun: call halo(b)
    call gravel_wait(gravel_w3_halo, b)
    call gravel_wait(gravel_w4_halo, b)
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
