! The 1-D ring of the paper's Figure 3: every process fills a message, passes it to the next one, and works on the
! message that the previous one has passed to it.
program ring
  use mpi
  use figure_tools
  implicit none

  integer, parameter :: tag = 7
  double precision, save :: sbuf(max_elements), rbuf(max_elements), field(max_elements)
  double precision :: value, started, seconds
  integer :: n, iterations, work, iteration, i, step
  integer :: rank, ranks, next, prev, request, ierr
  integer :: status(mpi_status_size)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call read_arguments(n, iterations, work)
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

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, tag, mpi_comm_world, request, ierr)

    do i = 1, n
      value = field(i)
      do step = 1, work
        value = value * factor + 0.001d0
      end do
      sbuf(i) = value
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, tag, mpi_comm_world, ierr)

    call mpi_wait(request, status, ierr)

    do i = 1, n
      value = rbuf(i)
      do step = 1, work
        value = value * factor + 0.001d0
      end do
      field(i) = 0.5d0 * (field(i) + value)
    end do
  end do
  seconds = (mpi_wtime() - started) / dble(iterations)

  call report(field, n, seconds)
  call mpi_finalize(ierr)
end program ring
