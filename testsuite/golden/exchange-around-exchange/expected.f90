! The exchange of a field's halo is called by a procedure that sets the edges of the grid behind it. Where its callers go on with work, the
! edges are set behind that, too.
module halo
  use mpi
  implicit none
  integer, parameter :: none = -1
  integer :: nx, ny, steps, comm, west, east, ierr
  double precision, allocatable :: u(:, :), v(:, :), q(:, :)
  type link
    double precision, allocatable :: out(:), in(:)
    integer :: messages = 0
  end type link
  type(link) :: to_west, to_east
  public :: gravel_update_begin, gravel_update_end, gravel_advance_boxes

contains

  subroutine open_grid()
    integer :: rank, ranks, i, j
    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    comm = mpi_comm_world
    west = rank - 1
    east = rank + 1
    if (west < 0) west = none
    if (east == ranks) east = none
    nx = 300
    ny = 40
    steps = 6
    allocate (u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1), q(nx, ny))
    allocate (to_west%out(ny), to_west%in(ny), to_east%out(ny), to_east%in(ny))
    u = 0.0d0
    v = 0.0d0
    do j = 1, ny
      do i = 1, nx
        u(i, j) = dble(rank + 1) + dble(mod(i * j, 11)) * 0.125d0
      end do
    end do
  end subroutine open_grid

  subroutine gravel_exchange_begin(a)
    use gravel
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    integer :: requests(4), messages
    ! gravel: what the begin leaves to the end
    common /gravel_exchange/ requests, messages

    requests = 0
    messages = 0
    if (west /= none) then
      call pack(a, 1, to_west%out)
      call talk_west(to_west%out, to_west%in, ny, 1, 2, requests(messages + 1), requests(messages + 2))
      messages = messages + 2
    end if
    if (east /= none) then
      call pack(a, nx, to_east%out)
      call talk_east(to_east%out, to_east%in, ny, 2, 1, requests(messages + 1), requests(messages + 2))
      messages = messages + 2
    end if
  end subroutine gravel_exchange_begin

  ! gravel: the rest of exchange, behind work of those who call it
  subroutine gravel_exchange_end(a)
    use gravel
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    integer :: requests(4), statuses(mpi_status_size, 4), messages
    ! gravel: what the begin leaves to the end
    common /gravel_exchange/ requests, messages

    ! What has come goes into the columns of the halo.
    ! gravel: waits here, was line 58: call mpi_waitall(messages, requests, statuses, ierr)
    call gravel_waitall(messages, requests, statuses, ierr)
    if (west /= none) call unpack_column(a, 0, to_west%in)
    if (east /= none) call unpack_column(a, nx + 1, to_east%in)
  end subroutine gravel_exchange_end

  subroutine exchange(a)
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    call gravel_exchange_begin(a)
    call gravel_exchange_end(a)
  end subroutine exchange

  ! The halo, and what stands beyond the grid.
  subroutine gravel_update_begin(a, value)
    use gravel
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    double precision, intent(in) :: value
    double precision :: outside
    ! gravel: what the begin leaves to the end
    common /gravel_update/ outside
    if (steps == 0) return
    outside = 2.0d0 * value
    ! gravel: begins here, was line 70: call exchange(a)
    call gravel_exchange_begin(a)
  end subroutine gravel_update_begin

  ! gravel: the rest of update, behind work of those who call it
  subroutine gravel_update_end(a, value)
    use gravel
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    double precision, intent(in) :: value
    double precision :: outside
    ! gravel: what the begin leaves to the end
    common /gravel_update/ outside
    if (steps == 0) return
    call gravel_exchange_end(a)
    ! The grid ends on either side.
    if (west == none) call set_edge(a, 0, 1, outside)
    if (east == none) call set_edge(a, nx + 1, nx, outside - value)
  end subroutine gravel_update_end

  subroutine update(a, value)
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    double precision, intent(in) :: value
    call gravel_update_begin(a, value)
    call gravel_update_end(a, value)
  end subroutine update

  subroutine set_edge(a, i, inner, outside)
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    integer, intent(in) :: i, inner
    double precision, intent(in) :: outside
    integer :: j
    do j = 1, ny
      a(i, j) = outside - a(inner, j)
    end do
  end subroutine set_edge

  subroutine pack(a, i, buffer)
    double precision, intent(in) :: a(0:nx+1, 0:ny+1)
    integer, intent(in) :: i
    double precision, intent(out) :: buffer(:)
    integer :: j
    do j = 1, ny
      buffer(j) = a(i, j)
    end do
  end subroutine pack

  subroutine unpack_column(a, i, buffer)
    double precision, intent(inout) :: a(0:nx+1, 0:ny+1)
    integer, intent(in) :: i
    double precision, intent(in) :: buffer(:)
    integer :: j
    do j = 1, ny
      a(i, j) = buffer(j)
    end do
  end subroutine unpack_column

  subroutine talk_west(out, in, length, tag_out, tag_in, request_out, request_in)
    use gravel
    double precision :: out(:), in(:)
    integer :: length, tag_out, tag_in, request_out, request_in, code
    ! gravel: sent without waiting, was line 109: call mpi_isend(out, length, mpi_double_precision, west, t...
    call gravel_post_send(out, length, mpi_double_precision, west, tag_out, comm, request_out, code)
    ! gravel: posted here, was line 110: call mpi_irecv(in, length, mpi_double_precision, west, tag_in, com...
    call gravel_post_rcv_buffer_rdma(in, length, mpi_double_precision, west, tag_in, comm, request_in, code)
  end subroutine talk_west

  subroutine talk_east(out, in, length, tag_out, tag_in, request_out, request_in)
    use gravel
    double precision :: out(:), in(:)
    integer :: length, tag_out, tag_in, request_out, request_in, code
    ! gravel: sent without waiting, was line 116: call mpi_isend(out, length, mpi_double_precision, east, t...
    call gravel_post_send(out, length, mpi_double_precision, east, tag_out, comm, request_out, code)
    ! gravel: posted here, was line 117: call mpi_irecv(in, length, mpi_double_precision, east, tag_in, com...
    call gravel_post_rcv_buffer_rdma(in, length, mpi_double_precision, east, tag_in, comm, request_in, code)
  end subroutine talk_east

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

  ! gravel: advance by boxes: 1 is its inside, 2 to 3 are its border
  subroutine gravel_advance_boxes(gravel_first, gravel_last, a, b)
    double precision, intent(in) :: a(0:nx+1, 0:ny+1)
    double precision, intent(inout) :: b(0:nx+1, 0:ny+1)
    double precision :: rate
    integer :: i, j
    integer, intent(in) :: gravel_first, gravel_last
    integer :: gravel_box, gravel_lo1, gravel_hi1, gravel_from1, gravel_to1
    rate = 0.125d0
    gravel_lo1 = 65
    gravel_hi1 = gravel_lo1 - 1 + max(0, nx - gravel_lo1) / 64 * 64
    if (gravel_lo1 > gravel_hi1) then
       gravel_lo1 = nx + 1
       gravel_hi1 = nx
    end if
    do gravel_box = gravel_first, gravel_last
       gravel_from1 = gravel_lo1
       gravel_to1 = gravel_hi1
       select case (gravel_box)
       case (2)
          gravel_from1 = 1
          gravel_to1 = gravel_lo1 - 1
       case (3)
          gravel_from1 = gravel_hi1 + 1
          gravel_to1 = nx
       end select
       do j = 1, ny
         do i = gravel_from1, gravel_to1
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

end module halo

program exchange_around_exchange
  use halo
  use gravel
  use halo, only: gravel_advance_boxes, gravel_update_begin, gravel_update_end
  implicit none
  integer :: rank, step
  double precision :: total

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call open_grid()
  call heat(0)
  do step = 1, steps
    ! gravel: begins here, was line 163: call update(u, 1.0d0)
    call gravel_update_begin(u, 1.0d0)
    call heat(step)
    ! gravel: its inside first where that is faster, was line 165: call advance(u, v)
    if (gravel_worth_overlapping('input.f90:165')) then
       call gravel_advance_boxes(1, 1, u, v)
       call gravel_update_end(u, 1.0d0)
       call gravel_advance_boxes(2, 3, u, v)
    else
       call gravel_update_end(u, 1.0d0)
       call advance(u, v)
    end if
    ! gravel: begins here, was line 166: call update(v, 0.5d0)
    call gravel_update_begin(v, 0.5d0)
    ! gravel: its inside first where that is faster, was line 167: call advance(v, u)
    if (gravel_worth_overlapping('input.f90:167')) then
       call gravel_advance_boxes(1, 1, v, u)
       call gravel_update_end(v, 0.5d0)
       call gravel_advance_boxes(2, 3, v, u)
    else
       call gravel_update_end(v, 0.5d0)
       call advance(v, u)
    end if
  end do
  total = checksum(u)
  if (rank == 0) print '(a, es24.16)', 'total', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program exchange_around_exchange
