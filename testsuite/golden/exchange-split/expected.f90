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
  public :: gravel_exchange_begin, gravel_exchange_end, gravel_advance_boxes

contains

  subroutine open_grid()
    use gravel
    integer :: dims(2), rank, ranks, i, j
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    dims = 0
    call mpi_dims_create(ranks, 2, dims, ierr)
    call mpi_cart_create(mpi_comm_world, 2, dims, [.false., .true.], .false., comm, ierr)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(comm)
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
  subroutine gravel_exchange_begin(a)
    use gravel
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    double precision :: to_west(64), to_east(64), from_west(64), from_east(64)
    integer :: requests(8), j
    logical :: has_west, has_east
    ! gravel: what the begin leaves to the end
    common /gravel_exchange/ to_west, to_east, from_west, from_east, requests, has_west, has_east

    has_west = west /= mpi_proc_null
    has_east = east /= mpi_proc_null
    ! gravel: posted here, was line 45: call mpi_irecv(from_west, ny, mpi_double_precision, west, 1, comm, ...
    call gravel_post_rcv_buffer_rdma(from_west, ny, mpi_double_precision, west, 1, comm, requests(1), ierr)
    ! gravel: posted here, was line 46: call mpi_irecv(from_east, ny, mpi_double_precision, east, 2, comm, ...
    call gravel_post_rcv_buffer_rdma(from_east, ny, mpi_double_precision, east, 2, comm, requests(2), ierr)
    ! gravel: posted here, was line 47: call mpi_irecv(a(1, 0), nx, mpi_double_precision, south, 3, comm, r...
    call gravel_post_rcv_buffer_rdma(a(1, 0), nx, mpi_double_precision, south, 3, comm, requests(3), ierr)
    ! gravel: posted here, was line 48: call mpi_irecv(a(1, ny + 1), nx, mpi_double_precision, north, 4, co...
    call gravel_post_rcv_buffer_rdma(a(1, ny + 1), nx, mpi_double_precision, north, 4, comm, requests(4), &
         ierr)
    do j = 1, ny
      to_west(j) = a(1, j)
      to_east(j) = a(nx, j)
    end do
    ! gravel: sent without waiting, was line 53: call mpi_isend(to_east, ny, mpi_double_precision, east, 1,...
    call gravel_post_send(to_east, ny, mpi_double_precision, east, 1, comm, requests(5), ierr)
    ! gravel: sent without waiting, was line 54: call mpi_isend(to_west, ny, mpi_double_precision, west, 2,...
    call gravel_post_send(to_west, ny, mpi_double_precision, west, 2, comm, requests(6), ierr)
    ! gravel: sent without waiting, was line 55: call mpi_isend(a(1, ny), nx, mpi_double_precision, north, ...
    call gravel_post_send(a(1, ny), nx, mpi_double_precision, north, 3, comm, requests(7), ierr)
    ! gravel: sent without waiting, was line 56: call mpi_isend(a(1, 1), nx, mpi_double_precision, south, 4...
    call gravel_post_send(a(1, 1), nx, mpi_double_precision, south, 4, comm, requests(8), ierr)
  end subroutine gravel_exchange_begin

  ! gravel: the rest of exchange, behind work of those who call it
  subroutine gravel_exchange_end(a)
    use gravel
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    double precision :: to_west(64), to_east(64), from_west(64), from_east(64)
    integer :: requests(8), j, statuses(mpi_status_size, 8)
    logical :: has_west, has_east
    ! gravel: what the begin leaves to the end
    common /gravel_exchange/ to_west, to_east, from_west, from_east, requests, has_west, has_east

    ! What has come goes into the columns of the halo.
    ! gravel: waits here, was line 59: call mpi_waitall(8, requests, statuses, ierr)
    call gravel_waitall(8, requests, statuses, ierr)
    call gravel_f_sync_reg(from_west)
    call gravel_f_sync_reg(from_east)
    call gravel_f_sync_reg(a)
    call gravel_f_sync_reg(to_east)
    call gravel_f_sync_reg(to_west)
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
  end subroutine gravel_exchange_end

  subroutine exchange(a)
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    call gravel_exchange_begin(a)
    call gravel_exchange_end(a)
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

  ! gravel: advance by boxes: 1 is its inside, 2 to 5 are its border
  subroutine gravel_advance_boxes(gravel_first, gravel_last, a, b)
    double precision, intent(in) :: a(0:nx+1, 0:ny+1)
    double precision, intent(inout) :: b(0:nx+1, 0:ny+1)
    double precision :: rate
    integer :: i, j
    integer, intent(in) :: gravel_first, gravel_last
    integer :: gravel_box, gravel_lo1, gravel_hi1, gravel_from1, gravel_to1, gravel_lo2, gravel_hi2, &
         gravel_from2, gravel_to2
    rate = 0.125d0
    gravel_lo1 = 2
    gravel_hi1 = ny - 1
    if (gravel_lo1 > gravel_hi1) then
       gravel_lo1 = ny + 1
       gravel_hi1 = ny
    end if
    gravel_lo2 = 65
    gravel_hi2 = gravel_lo2 - 1 + max(0, nx - gravel_lo2) / 64 * 64
    if (gravel_lo2 > gravel_hi2) then
       gravel_lo2 = nx + 1
       gravel_hi2 = nx
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
          gravel_to2 = nx
       case (3)
          gravel_from1 = gravel_hi1 + 1
          gravel_to1 = ny
          gravel_from2 = 1
          gravel_to2 = nx
       case (4)
          gravel_from2 = 1
          gravel_to2 = gravel_lo2 - 1
       case (5)
          gravel_from2 = gravel_hi2 + 1
          gravel_to2 = nx
       end select
       do j = gravel_from1, gravel_to1
         do i = gravel_from2, gravel_to2
           b(i, j) = a(i, j) + rate * (a(i-1, j) + a(i+1, j) + a(i, j-1) + a(i, j+1) - 4.0d0 * a(i, j)) + q(i, j)
         end do
       end do
    end do
  end subroutine gravel_advance_boxes

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
  use gravel
  use grid, only: gravel_advance_boxes, gravel_exchange_begin, gravel_exchange_end
  implicit none
  integer :: ierr, rank, step
  double precision :: total

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call open_grid()
  call heat(0)
  do step = 1, steps
    ! gravel: begins here, was line 116: call exchange(u)
    call gravel_exchange_begin(u)
    call heat(step)
    ! gravel: its inside first where that is faster, was line 118: call advance(u, v)
    if (gravel_worth_overlapping('input.f90:118')) then
       call gravel_advance_boxes(1, 1, u, v)
       call gravel_exchange_end(u)
       call gravel_advance_boxes(2, 5, u, v)
    else
       call gravel_exchange_end(u)
       call advance(u, v)
    end if
    ! gravel: begins here, was line 119: call exchange(v)
    call gravel_exchange_begin(v)
    ! gravel: its inside first where that is faster, was line 120: call advance(v, u)
    if (gravel_worth_overlapping('input.f90:120')) then
       call gravel_advance_boxes(1, 1, v, u)
       call gravel_exchange_end(v)
       call gravel_advance_boxes(2, 5, v, u)
    else
       call gravel_exchange_end(v)
       call advance(v, u)
    end if
  end do
  total = checksum(u)
  if (rank == 0) print '(a, es24.16)', 'total', total
  call exchange(u)
  total = checksum(u)
  if (rank == 0) print '(a, es24.16)', 'again', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program exchange_split
