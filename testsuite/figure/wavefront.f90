! The 2-D wavefront of the paper: the processes form a grid; every one fills messages for its neighbours in the south
! and in the east, and works on those that come from north and west. Data moves one diagonal per iteration.
program wavefront
  use mpi
  use figure_tools
  implicit none

  integer, parameter :: to_south = 11, to_east = 12
  double precision, save :: from_north(max_elements), from_west(max_elements), field(max_elements)
  double precision, save :: for_south(max_elements), for_east(max_elements)
  double precision :: value, started, seconds
  integer :: n, iterations, work, iteration, i, step
  integer :: rank, ranks, north, south, west, east, northern, western, ierr
  integer :: status(mpi_status_size)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call read_arguments(n, iterations, work)
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

    call mpi_irecv(from_north, n, mpi_double_precision, north, to_south, mpi_comm_world, northern, ierr)
    call mpi_irecv(from_west, n, mpi_double_precision, west, to_east, mpi_comm_world, western, ierr)

    do i = 1, n
      value = field(i)
      do step = 1, work
        value = value * factor + 0.001d0
      end do
      for_south(i) = value
    end do
    call mpi_send(for_south, n, mpi_double_precision, south, to_south, mpi_comm_world, ierr)

    do i = 1, n
      value = field(i)
      do step = 1, work
        value = value * factor + 0.002d0
      end do
      for_east(i) = value
    end do
    call mpi_send(for_east, n, mpi_double_precision, east, to_east, mpi_comm_world, ierr)

    call mpi_wait(northern, status, ierr)
    do i = 1, n
      value = from_north(i)
      do step = 1, work
        value = value * factor + 0.001d0
      end do
      field(i) = 0.5d0 * (field(i) + value)
    end do

    call mpi_wait(western, status, ierr)
    do i = 1, n
      value = from_west(i)
      do step = 1, work
        value = value * factor + 0.001d0
      end do
      field(i) = 0.5d0 * (field(i) + value)
    end do
  end do
  seconds = (mpi_wtime() - started) / dble(iterations)

  call report(field, n, seconds)
  call mpi_finalize(ierr)
end program wavefront
