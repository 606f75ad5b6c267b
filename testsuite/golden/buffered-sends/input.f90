! Buffered sends, blocking, non-blocking and persistent ones: the runtime copies what is sent, and is told of the attached buffer.
program buffered_sends
  use mpi
  implicit none

  integer, parameter :: n = 20000, few = 100, steps = 3
  integer :: ierr, rank, ranks, next, prev, i, step, bytes, size_back, started, sent
  double precision :: a(n), b(n), c(n), received(n, 3), total, all_total
  double precision, allocatable :: room(:)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  bytes = 6 * (8 * n + mpi_bsend_overhead)
  allocate (room(bytes / 8 + 1))
  call mpi_buffer_attach(room, bytes, ierr)
  ! Open MPI 4.1 itself sends what a long one holds later on.
  call mpi_bsend_init(c, few, mpi_double_precision, next, 3, mpi_comm_world, started, ierr)
  total = 0.0d0
  do step = 1, steps
    do i = 1, n
      a(i) = dble(mod(i, 9) + rank + step)
      b(i) = dble(mod(i, 7) * rank)
      c(i) = dble(mod(i, 5) + rank * step)
    end do
    call mpi_bsend(a, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_ibsend(b, n, mpi_double_precision, next, 2, mpi_comm_world, sent, ierr)
    call mpi_start(started, ierr)
    call mpi_wait(sent, mpi_status_ignore, ierr)
    call mpi_wait(started, mpi_status_ignore, ierr)
    do i = 1, n
      a(i) = -1.0d0
      b(i) = -1.0d0
      c(i) = -1.0d0
    end do
    call mpi_recv(received(1, 1), n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_recv(received(1, 2), n, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_recv(received(1, 3), few, mpi_double_precision, prev, 3, mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      total = total + received(i, 1) + 2.0d0 * received(i, 2)
    end do
    total = total + 3.0d0 * sum(received(:few, 3))
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_request_free(started, ierr)
  call mpi_buffer_detach(room, size_back, ierr)
  if (size_back /= bytes) total = -1.0d0
  call mpi_reduce(total, all_total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(es24.16)', all_total
  call mpi_finalize(ierr)
end program buffered_sends
