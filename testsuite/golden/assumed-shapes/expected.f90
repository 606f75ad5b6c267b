! Arrays of a module are handed to procedures that take them as they are: what all calls hand over says how their
! columns lie in memory.
module grid
  use mpi_f08
  use gravel, only: gravel_request_kind
  implicit none
  type(mpi_comm) :: plane
  integer :: nx, ny, north, south, east, west
  double precision, allocatable :: f(:, :), g(:, :)
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_w1_exchange
  integer(gravel_request_kind), public :: gravel_w2_exchange

contains

  subroutine set_up()
    use gravel
    integer :: dimensions(2), processes, i, j, me
    logical :: is_periodic(2)

    call mpi_comm_size(mpi_comm_world, processes)
    dimensions = 0
    is_periodic = .false.
    call mpi_dims_create(processes, 2, dimensions)
    call mpi_cart_create(mpi_comm_world, 2, dimensions, is_periodic, .false., plane)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(plane)
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
    use gravel
    double precision, intent(inout) :: a(0:, 0:)
    double precision :: outgoing(ny, 2), incoming(ny, 2)
    type(mpi_request) :: requests(8)
    integer :: j
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    ! gravel: posted early, was line 46: call mpi_irecv(incoming(1, 1), ny, mpi_double_precision, west, 10,...
    call gravel_post_rcv_segments(incoming(1, 1), ny, mpi_double_precision, west, 10, plane, requests(1))
    ! gravel: posted early, was line 47: call mpi_irecv(incoming(1, 2), ny, mpi_double_precision, east, 11,...
    call gravel_post_rcv_segments(incoming(1, 2), ny, mpi_double_precision, east, 11, plane, requests(2))
    ! gravel: posted early, was line 48: call mpi_irecv(a(1, 0), nx, mpi_double_precision, south, 12, plane...
    call gravel_post_rcv_buffer_rdma(a(1, 0), nx, mpi_double_precision, south, 12, plane, requests(3))
    do j = 1, ny
      outgoing(j, 1) = a(1, j)
      outgoing(j, 2) = a(nx, j)
    end do
    ! gravel: moved away from here, was line 46: call mpi_irecv(incoming(1, 1), ny, mpi_double_precision, west, 10, plane, requests(1))
    ! gravel: moved away from here, was line 47: call mpi_irecv(incoming(1, 2), ny, mpi_double_precision, east, 11, plane, requests(2))
    ! gravel: moved away from here, was line 48: call mpi_irecv(a(1, 0), nx, mpi_double_precision, south, 12, plane, requests(3))
    ! gravel: posted here, was line 49: call mpi_irecv(a(1, ny + 1), nx, mpi_double_precision, north, 13, p...
    call gravel_post_rcv_buffer_rdma(a(1, ny + 1), nx, mpi_double_precision, north, 13, plane, requests(4))
    ! gravel: sent without waiting, was line 50: call mpi_isend(outgoing(1, 1), ny, mpi_double_precision, w...
    call gravel_post_send(outgoing(1, 1), ny, mpi_double_precision, west, 11, plane, requests(5))
    ! gravel: sent without waiting, was line 51: call mpi_isend(outgoing(1, 2), ny, mpi_double_precision, e...
    call gravel_post_send(outgoing(1, 2), ny, mpi_double_precision, east, 10, plane, requests(6))
    ! gravel: sent without waiting, was line 52: call mpi_isend(a(1, 1), nx, mpi_double_precision, south, 1...
    call gravel_post_send(a(1, 1), nx, mpi_double_precision, south, 13, plane, requests(7))
    ! gravel: sent without waiting, was line 53: call mpi_isend(a(1, ny), nx, mpi_double_precision, north, ...
    call gravel_post_send(a(1, ny), nx, mpi_double_precision, north, 12, plane, requests(8))
    ! gravel: moved away from here, was line 54: call mpi_waitall(8, requests, mpi_statuses_ignore)
    gravel_w1_exchange = requests(7)%mpi_val
    gravel_w2_exchange = requests(8)%mpi_val
    ! gravel: waits here for what each tile reads, was line 54: call mpi_waitall(8, requests, mpi_statuses_...
    ! gravel: waits here for what each tile reads, was line 54: call mpi_waitall(8, requests, mpi_statuses_...
    gravel_step1 = gravel_tile([requests(1), requests(2)], ny)
    if (gravel_step1 >= ny) call gravel_wait(requests(1), incoming)
    if (gravel_step1 >= ny) call gravel_wait(requests(2), incoming)
    do gravel_lo1 = 1, ny, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, ny - gravel_lo1)
       if (gravel_step1 < ny) call gravel_wait_range(requests(1), incoming, 0, gravel_hi1)
       if (gravel_step1 < ny) call gravel_wait_range(requests(2), incoming, 0, gravel_hi1)
       do j = gravel_lo1, gravel_hi1
         if (west /= mpi_proc_null) a(0, j) = incoming(j, 1)
         if (east /= mpi_proc_null) a(nx + 1, j) = incoming(j, 2)
       end do
    end do
    if (gravel_step1 < ny) call gravel_wait(requests(1), incoming)
    if (gravel_step1 < ny) call gravel_wait(requests(2), incoming)
    ! gravel: the wait moved here, was line 54: call mpi_waitall(8, requests, mpi_statuses_ignore)
    call gravel_wait(requests(3), a)
    call gravel_wait(requests(4), a)
    call gravel_wait(requests(5), outgoing)
    call gravel_wait(requests(6), outgoing)
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
  use gravel
  use grid, only: gravel_w1_exchange, gravel_w2_exchange
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i, j, step
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_w1, gravel_w2

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init()
  call set_up()
  call mpi_comm_rank(plane, rank)
  call mpi_comm_size(plane, ranks)
  do step = 1, 3
    call exchange(f)
    ! gravel: waited for below
    gravel_w1 = gravel_w1_exchange
    gravel_w2 = gravel_w2_exchange
    call smooth(f, g)
    call exchange(g)
    ! gravel: waits here for what line 88 has begun: call exchange(f)
    call gravel_wait(gravel_w1, f)
    call gravel_wait(gravel_w2, f)
    call smooth(g, f)
    ! gravel: waits here for what line 90 has begun: call exchange(g)
    call gravel_wait(gravel_w1_exchange, g)
    call gravel_wait(gravel_w2_exchange, g)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program assumed_shapes
