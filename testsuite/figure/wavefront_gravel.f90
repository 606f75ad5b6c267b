! The 2-D wavefront with the calls of Gravel in the place of those of MPI, written by hand: in one piece, or in segments
! with a handshake each. PROTOCOL: 1 consumer-initiated write, 2 producer-initiated write, 3 producer-initiated read.
program wavefront_gravel
  use mpi
  use figure_tools
  use gravel
  implicit none

  integer, parameter :: to_south = 11, to_east = 12
  double precision, save :: from_north(max_elements), from_west(max_elements), field(max_elements)
  double precision, save :: for_south(max_elements), for_east(max_elements)
  double precision :: value, started, seconds
  integer :: n, iterations, work, segments, protocol, iteration, segment, first, last, i, step
  integer :: rank, ranks, north, south, west, east, ierr
  integer(gravel_request_kind) :: from_northern(max_segments), to_southern(max_segments)
  integer(gravel_request_kind) :: from_western(max_segments), to_eastern(max_segments)

  call mpi_init(ierr)
  call gravel_init(mpi_comm_world, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call read_arguments(n, iterations, work)
  segments = argument(4, 1)
  protocol = argument(5, 1)
  if (protocol < 1 .or. protocol > 3) call give_up('PROTOCOL must be 1, 2 or 3')
  if (segments < 1 .or. segments > max_segments) call give_up('there are too many SEGMENTS')
  call place_in_grid(rank, ranks, north, south, west, east)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i - 1, 128)) / 128.0d0
    from_north(i) = 1.0d0
    from_west(i) = 2.0d0
  end do

  started = 0.0d0
  do iteration = 1 - warm_up, iterations
    if (iteration == 1) then
      call mpi_barrier(mpi_comm_world, ierr)
      started = mpi_wtime()
    end if

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      call post_receive(from_north(first:last), north, to_south, from_northern(segment))
      call post_receive(from_west(first:last), west, to_east, from_western(segment))
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      do i = first, last
        value = field(i)
        do step = 1, work
          value = value * factor + 0.001d0
        end do
        for_south(i) = value
      end do
      call post_send(for_south(first:last), south, to_south, to_southern(segment))
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      do i = first, last
        value = field(i)
        do step = 1, work
          value = value * factor + 0.002d0
        end do
        for_east(i) = value
      end do
      call post_send(for_east(first:last), east, to_east, to_eastern(segment))
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      call gravel_wait(from_northern(segment), from_north)
      do i = first, last
        value = from_north(i)
        do step = 1, work
          value = value * factor + 0.001d0
        end do
        field(i) = 0.5d0 * (field(i) + value)
      end do
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      call gravel_wait(from_western(segment), from_west)
      do i = first, last
        value = from_west(i)
        do step = 1, work
          value = value * factor + 0.001d0
        end do
        field(i) = 0.5d0 * (field(i) + value)
      end do
    end do

    do segment = 1, segments
      call gravel_wait(to_southern(segment), for_south)
    end do
    do segment = 1, segments
      call gravel_wait(to_eastern(segment), for_east)
    end do
  end do
  seconds = (mpi_wtime() - started) / dble(iterations)

  call report(field, n, seconds)
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  ! The consumer's part of a handshake for one segment.
  subroutine post_receive(buffer, source, tag_of_message, request)
    double precision, asynchronous, intent(inout) :: buffer(:)
    integer, intent(in) :: source, tag_of_message
    integer(gravel_request_kind), intent(out) :: request

    if (protocol == 1) then
      call gravel_post_rcv_buffer_rdma(buffer, size(buffer), mpi_double_precision, source, tag_of_message, &
                                       mpi_comm_world, request, ierr)
    else
      call gravel_post_rcv_announced(buffer, size(buffer), mpi_double_precision, source, tag_of_message, &
                                     mpi_comm_world, request, ierr)
    end if
  end subroutine post_receive

  ! The producer's part.
  subroutine post_send(buffer, destination, tag_of_message, request)
    double precision, asynchronous, intent(inout) :: buffer(:)
    integer, intent(in) :: destination, tag_of_message
    integer(gravel_request_kind), intent(out) :: request
    integer(gravel_transfer_kind) :: transfer

    select case (protocol)
    case (1)
      call gravel_post_send(buffer, size(buffer), mpi_double_precision, destination, tag_of_message, mpi_comm_world, &
                            request, ierr)
    case (2)
      call gravel_post_snd_request(buffer, size(buffer), mpi_double_precision, destination, tag_of_message, &
                                   mpi_comm_world, transfer, ierr)
      call gravel_post_os_put(transfer, buffer, 0, size(buffer))
      call gravel_send_fin(transfer, request, ierr)
    case (3)
      call gravel_post_snd_buffer_rdma(buffer, size(buffer), mpi_double_precision, destination, tag_of_message, &
                                       mpi_comm_world, request, ierr)
    end select
  end subroutine post_send
end program wavefront_gravel
