! Two messages each way, requests in an array, one wait for all: each message is waited for where it
! is needed.
program waitall_split
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer, parameter :: upward = 1, downward = 2
  integer :: requests(4)
  double precision :: to_next(n), to_prev(n), from_next(n), from_prev(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_hi1, gravel_hi2, gravel_hi3, gravel_hi4, &
       gravel_step1, gravel_step2, gravel_step3, gravel_step4

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  do step = 1, 3
    ! gravel: posted here, was line 25: call mpi_irecv(from_prev, n, mpi_double_precision, prev, upward, mp...
    call gravel_post_rcv_segments(from_prev, n, mpi_double_precision, prev, upward, mpi_comm_world, &
         requests(1), ierr)
    ! gravel: posted here, was line 26: call mpi_irecv(from_next, n, mpi_double_precision, next, downward, ...
    call gravel_post_rcv_segments(from_next, n, mpi_double_precision, next, downward, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: one handshake, a put per tile, was line 33: call mpi_isend(to_next, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(to_next, n, mpi_double_precision, next, upward, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         to_next(i) = field(i) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, to_next, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: one handshake, a put per tile, was line 34: call mpi_isend(to_prev, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(to_prev, n, mpi_double_precision, prev, downward, mpi_comm_world, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         to_prev(i) = field(i) * 0.25d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t2, to_prev, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: sent tile by tile above, was line 33: call mpi_isend(to_next, n, mpi_double_precision, next, ...
    call gravel_send_fin(gravel_t1, requests(3), ierr)
    ! gravel: sent tile by tile above, was line 34: call mpi_isend(to_prev, n, mpi_double_precision, prev, ...
    call gravel_send_fin(gravel_t2, requests(4), ierr)
    do i = 1, n
      field(i) = field(i) * 0.125d0
    end do
    ! gravel: moved away from here, was line 38: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 38: call mpi_waitall(4, requests, mpi_statuses_...
    gravel_step3 = gravel_tile(requests(1), n)
    if (gravel_step3 >= n) call gravel_wait(requests(1), from_prev)
    do gravel_lo3 = 1, n, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
       if (gravel_step3 < n) call gravel_wait_range(requests(1), from_prev, 0, gravel_hi3)
       do i = gravel_lo3, gravel_hi3
         field(i) = field(i) + from_prev(i)
       end do
    end do
    if (gravel_step3 < n) call gravel_wait(requests(1), from_prev)
    ! gravel: waits here for what each tile reads, was line 38: call mpi_waitall(4, requests, mpi_statuses_...
    gravel_step4 = gravel_tile(requests(2), n)
    if (gravel_step4 >= n) call gravel_wait(requests(2), from_next)
    do gravel_lo4 = 1, n, gravel_step4
       gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, n - gravel_lo4)
       if (gravel_step4 < n) call gravel_wait_range(requests(2), from_next, 0, gravel_hi4)
       do i = gravel_lo4, gravel_hi4
         field(i) = field(i) + from_next(i)
       end do
    end do
    if (gravel_step4 < n) call gravel_wait(requests(2), from_next)
    ! gravel: the wait moved here, was line 38: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), to_next)
    call gravel_wait(requests(4), to_prev)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
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
end program waitall_split
