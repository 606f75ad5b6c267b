! Ready sends: the barrier says that the receives are posted. A standard send may stand in the place of each, so that it is
! sent tile by tile, or waited for behind other work.
program ready_sends
  use gravel
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: incoming(2), outgoing
  integer :: statuses(mpi_status_size, 2)
  double precision :: low(n), high(n), from_prev(n), from_next(n), inner(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_hi1, gravel_hi2, gravel_hi3, gravel_step1, &
       gravel_step2, gravel_step3

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  inner = dble(rank)

  do step = 1, 3
    ! gravel: posted here, was line 23: call mpi_irecv(from_prev, n, mpi_double_precision, prev, 1, mpi_com...
    call gravel_post_rcv_segments(from_prev, n, mpi_double_precision, prev, 1, mpi_comm_world, incoming(1), &
         ierr)
    ! gravel: posted here, was line 24: call mpi_irecv(from_next, n, mpi_double_precision, next, 2, mpi_com...
    call gravel_post_rcv_segments(from_next, n, mpi_double_precision, next, 2, mpi_comm_world, incoming(2), &
         ierr)
    call mpi_barrier(mpi_comm_world, ierr)
    ! gravel: one handshake, a put per tile, was line 29: call mpi_irsend(low, n, mpi_double_precision, pre...
    call gravel_wait_rcv_buffer(low, n, mpi_double_precision, prev, 2, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         low(i) = inner(i) + dble(mod(i * step, 13))
       end do
       call gravel_post_os_put(gravel_t1, low, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 29: call mpi_irsend(low, n, mpi_double_precision, prev, 2, ...
    call gravel_send_fin(gravel_t1, outgoing, ierr)
    ! gravel: one handshake, a put per tile, was line 33: call mpi_rsend(high, n, mpi_double_precision, nex...
    call gravel_wait_rcv_buffer(high, n, mpi_double_precision, next, 1, mpi_comm_world, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         high(i) = inner(i) - dble(mod(i * step, 17))
       end do
       call gravel_post_os_put(gravel_t2, high, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: sent tile by tile above, was line 33: call mpi_rsend(high, n, mpi_double_precision, next, 1, ...
    call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    do i = 1, n
      inner(i) = 0.5d0 * inner(i) + dble(mod(i, 3))
    end do
    ! gravel: moved away from here, was line 37: call mpi_wait(outgoing, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: moved away from here, was line 38: call mpi_waitall(2, incoming, statuses, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 38: call mpi_waitall(2, incoming, statuses, ierr)
    ! gravel: waits here for what each tile reads, was line 38: call mpi_waitall(2, incoming, statuses, ierr)
    gravel_step3 = gravel_tile([incoming(1), incoming(2)], n)
    if (gravel_step3 >= n) call gravel_wait(incoming(1), from_prev, statuses(:, 1))
    if (gravel_step3 >= n) call gravel_wait(incoming(2), from_next, statuses(:, 2))
    do gravel_lo3 = 1, n, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
       if (gravel_step3 < n) call gravel_wait_range(incoming(1), from_prev, 0, gravel_hi3)
       if (gravel_step3 < n) call gravel_wait_range(incoming(2), from_next, 0, gravel_hi3)
       do i = gravel_lo3, gravel_hi3
         inner(i) = inner(i) + 0.25d0 * (from_prev(i) + from_next(i))
       end do
    end do
    if (gravel_step3 < n) call gravel_wait(incoming(1), from_prev, statuses(:, 1))
    if (gravel_step3 < n) call gravel_wait(incoming(2), from_next, statuses(:, 2))
    ! gravel: the wait moved here, was line 33: call mpi_rsend(high, n, mpi_double_precision, next, 1, mpi_...
    call gravel_wait(gravel_s2, high)
    ! gravel: the wait moved here, was line 37: call mpi_wait(outgoing, mpi_status_ignore, ierr)
    call gravel_wait(outgoing, low)
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + inner(i) * dble(mod(i, 11))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program ready_sends
