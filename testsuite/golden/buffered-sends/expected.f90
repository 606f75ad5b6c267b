! Buffered sends, blocking, non-blocking and persistent ones: the runtime copies what is sent, and is told of the attached buffer.
program buffered_sends
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000, few = 100, steps = 3
  integer :: ierr, rank, ranks, next, prev, i, step, bytes, size_back, started, sent
  double precision :: a(n), b(n), c(n), received(n, 3), total, all_total
  double precision, allocatable :: room(:)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_r3, gravel_s1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  bytes = 6 * (8 * n + mpi_bsend_overhead)
  allocate (room(bytes / 8 + 1))
  call mpi_buffer_attach(room, bytes, ierr)
  ! gravel: the runtime is told of the buffer
  call gravel_buffer_attached(bytes)
  ! Open MPI 4.1 itself sends what a long one holds later on.
  ! gravel: described once, for each start, was line 20: call mpi_bsend_init(c, few, mpi_double_precision, ...
  call gravel_prepare_bsend(c, few, mpi_double_precision, next, 3, mpi_comm_world, started, ierr)
  total = 0.0d0
  do step = 1, steps
    do i = 1, n
      a(i) = dble(mod(i, 9) + rank + step)
      b(i) = dble(mod(i, 7) * rank)
      c(i) = dble(mod(i, 5) + rank * step)
    end do
    ! gravel: sent without waiting, was line 28: call mpi_bsend(a, n, mpi_double_precision, next, 1, mpi_co...
    call gravel_post_bsend(a, n, mpi_double_precision, next, 1, mpi_comm_world, gravel_s1, ierr)
    call gravel_wait(gravel_s1, a)
    ! gravel: sent without waiting, was line 29: call mpi_ibsend(b, n, mpi_double_precision, next, 2, mpi_c...
    call gravel_post_bsend(b, n, mpi_double_precision, next, 2, mpi_comm_world, sent, ierr)
    ! gravel: started here, was line 30: call mpi_start(started, ierr)
    call gravel_start(started, c, ierr)
    ! gravel: waits here, was line 31: call mpi_wait(sent, mpi_status_ignore, ierr)
    call gravel_wait(sent, b, ierr)
    ! gravel: waits here, was line 32: call mpi_wait(started, mpi_status_ignore, ierr)
    call gravel_wait(started, c, ierr)
    ! gravel: posted early, was line 38: call mpi_recv(received(1, 1), n, mpi_double_precision, prev, 1, mp...
    call gravel_post_rcv_announced(received(1, 1), n, mpi_double_precision, prev, 1, mpi_comm_world, &
         gravel_r1)
    ! gravel: posted early, was line 39: call mpi_recv(received(1, 2), n, mpi_double_precision, prev, 2, mp...
    call gravel_post_rcv_announced(received(1, 2), n, mpi_double_precision, prev, 2, mpi_comm_world, &
         gravel_r2)
    ! gravel: posted early, was line 40: call mpi_recv(received(1, 3), few, mpi_double_precision, prev, 3, ...
    call gravel_post_rcv_announced(received(1, 3), few, mpi_double_precision, prev, 3, mpi_comm_world, &
         gravel_r3)
    do i = 1, n
      a(i) = -1.0d0
      b(i) = -1.0d0
      c(i) = -1.0d0
    end do
    ! gravel: waits here, was line 38: call mpi_recv(received(1, 1), n, mpi_double_precision, prev, 1, mpi_...
    call gravel_wait(gravel_r1, received, ierr)
    ! gravel: waits here, was line 39: call mpi_recv(received(1, 2), n, mpi_double_precision, prev, 2, mpi_...
    call gravel_wait(gravel_r2, received, ierr)
    ! gravel: moved away from here, was line 40: call mpi_recv(received(1, 3), few, mpi_double_precision, p...
    ierr = 0
    do i = 1, n
      total = total + received(i, 1) + 2.0d0 * received(i, 2)
    end do
    ! gravel: the wait moved here, was line 40: call mpi_recv(received(1, 3), few, mpi_double_precision, pr...
    call gravel_wait(gravel_r3, received)
    total = total + 3.0d0 * sum(received(:few, 3))
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  ! gravel: released here, was line 47: call mpi_request_free(started, ierr)
  call gravel_release(started, ierr)
  call mpi_buffer_detach(room, size_back, ierr)
  ! gravel: the runtime is told of the buffer
  call gravel_buffer_detached()
  if (size_back /= bytes) total = -1.0d0
  call mpi_reduce(total, all_total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(es24.16)', all_total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program buffered_sends
