! The 1-D ring, strip-mined by hand in MPI: every segment is a message of its own, sent as soon as it is filled, and
! waited for just before it is used. With WORK 0 there is no computation: that is the time of the wire.
program ring_segments
  use mpi
  use figure_tools
  implicit none

  integer, parameter :: tag = 7
  double precision, save :: sbuf(max_elements), rbuf(max_elements), field(max_elements)
  double precision :: value, started, seconds
  integer :: n, iterations, work, segments, iteration, segment, first, last, i, step
  integer :: rank, ranks, next, prev, ierr
  integer :: receives(max_segments), sends(max_segments)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call read_arguments(n, iterations, work)
  segments = argument(4, 1)
  if (segments < 1 .or. segments > max_segments) call give_up('there are too many SEGMENTS')
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i - 1, 128)) / 128.0d0
    rbuf(i) = 1.0d0
  end do

  started = 0.0d0
  do iteration = 1 - warm_up, iterations
    if (iteration == 1) then
      call mpi_barrier(mpi_comm_world, ierr)
      started = mpi_wtime()
    end if

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      call mpi_irecv(rbuf(first), last - first + 1, mpi_double_precision, prev, tag, mpi_comm_world, &
                     receives(segment), ierr)
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      if (work > 0) then
        do i = first, last
          value = field(i)
          do step = 1, work
            value = value * factor + 0.001d0
          end do
          sbuf(i) = value
        end do
      end if
      call mpi_isend(sbuf(first), last - first + 1, mpi_double_precision, next, tag, mpi_comm_world, &
                     sends(segment), ierr)
    end do

    do segment = 1, segments
      call segment_bounds(segment, segments, n, first, last)
      call mpi_wait(receives(segment), mpi_status_ignore, ierr)
      if (work > 0) then
        do i = first, last
          value = rbuf(i)
          do step = 1, work
            value = value * factor + 0.001d0
          end do
          field(i) = 0.5d0 * (field(i) + value)
        end do
      end if
    end do

    call mpi_waitall(segments, sends, mpi_statuses_ignore, ierr)
  end do
  seconds = (mpi_wtime() - started) / dble(iterations)

  call report(field, n, seconds)
  call mpi_finalize(ierr)
end program ring_segments
