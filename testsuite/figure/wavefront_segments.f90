! The 2-D wavefront, strip-mined by hand in MPI: every segment is a message of its own, sent as soon as it is filled, and
! waited for just before it is used. With WORK 0 there is no computation: that is the time of the wire.
program wavefront_segments
  use mpi
  use figure_tools
  implicit none

  integer, parameter :: to_south = 11, to_east = 12
  double precision, save :: from_north(max_elements), from_west(max_elements), field(max_elements)
  double precision, save :: for_south(max_elements), for_east(max_elements)
  double precision :: value, started, seconds
  integer :: n, iterations, work, segments, iteration, segment, first, last, i, step
  integer :: rank, ranks, north, south, west, east, ierr
  integer :: from_northern(max_segments), to_southern(max_segments)
  integer :: from_western(max_segments), to_eastern(max_segments)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call read_arguments(n, iterations, work)
  segments = argument(4, 1)
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
      call mpi_irecv(from_north(first), last - first + 1, mpi_double_precision, north, to_south, mpi_comm_world, &
                     from_northern(segment), ierr)
      call mpi_irecv(from_west(first), last - first + 1, mpi_double_precision, west, to_east, mpi_comm_world, &
                     from_western(segment), ierr)
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      if (work > 0) then
        do i = first, last
          value = field(i)
          do step = 1, work
            value = value * factor + 0.001d0
          end do
          for_south(i) = value
        end do
      end if
      call mpi_isend(for_south(first), last - first + 1, mpi_double_precision, south, to_south, mpi_comm_world, &
                     to_southern(segment), ierr)
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      if (work > 0) then
        do i = first, last
          value = field(i)
          do step = 1, work
            value = value * factor + 0.002d0
          end do
          for_east(i) = value
        end do
      end if
      call mpi_isend(for_east(first), last - first + 1, mpi_double_precision, east, to_east, mpi_comm_world, &
                     to_eastern(segment), ierr)
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      call mpi_wait(from_northern(segment), mpi_status_ignore, ierr)
      if (work > 0) then
        do i = first, last
          value = from_north(i)
          do step = 1, work
            value = value * factor + 0.001d0
          end do
          field(i) = 0.5d0 * (field(i) + value)
        end do
      end if
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      call mpi_wait(from_western(segment), mpi_status_ignore, ierr)
      if (work > 0) then
        do i = first, last
          value = from_west(i)
          do step = 1, work
            value = value * factor + 0.001d0
          end do
          field(i) = 0.5d0 * (field(i) + value)
        end do
      end if
    end do

    call mpi_waitall(segments, to_southern, mpi_statuses_ignore, ierr)
    call mpi_waitall(segments, to_eastern, mpi_statuses_ignore, ierr)
  end do
  seconds = (mpi_wtime() - started) / dble(iterations)

  call report(field, n, seconds)
  call mpi_finalize(ierr)
end program wavefront_segments
