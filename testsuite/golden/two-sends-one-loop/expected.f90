! One loop fills two messages, which go to two neighbours.
program two_sends_one_loop
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: status(mpi_status_size)
  double precision :: to_next(n), to_prev(n), from_next(n), from_prev(n)
  integer :: upward, downward
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do step = 1, 3
    ! gravel: posted here, was line 22: call mpi_irecv(from_prev, n, mpi_double_precision, prev, 61, mpi_co...
    call gravel_post_rcv_buffer_rdma(from_prev, n, mpi_double_precision, prev, 61, mpi_comm_world, upward, &
         ierr)
    ! gravel: posted here, was line 23: call mpi_irecv(from_next, n, mpi_double_precision, next, 62, mpi_co...
    call gravel_post_rcv_buffer_rdma(from_next, n, mpi_double_precision, next, 62, mpi_comm_world, downward, &
         ierr)
    ! gravel: one handshake, a put per tile, was line 28: call mpi_send(to_next, n, mpi_double_precision, n...
    call gravel_wait_rcv_buffer(to_next, n, mpi_double_precision, next, 61, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         to_next(i) = dble(rank + step) * 0.5d0 + dble(mod(i, 14))
         to_prev(i) = to_next(i) - dble(2 * step)
       end do
       call gravel_post_os_put(gravel_t1, to_next, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 28: call mpi_send(to_next, n, mpi_double_precision, next, 6...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: sent without waiting, was line 29: call mpi_send(to_prev, n, mpi_double_precision, prev, 62, ...
    call gravel_post_send(to_prev, n, mpi_double_precision, prev, 62, mpi_comm_world, gravel_s2, ierr)
    ! gravel: moved away from here, was line 30: call mpi_wait(upward, status, ierr)
    ierr = 0
    ! gravel: waits here, was line 31: call mpi_wait(downward, status, ierr)
    call gravel_wait(downward, from_next, status, ierr)
    ! gravel: the wait moved here, was line 30: call mpi_wait(upward, status, ierr)
    call gravel_wait(upward, from_prev, status)
    do i = 1, n
      checksum = checksum + from_prev(i) * dble(mod(i, 6)) - from_next(i) * dble(mod(i, 10))
    end do
    ! gravel: the wait moved here, was line 28: call mpi_send(to_next, n, mpi_double_precision, next, 61, m...
    call gravel_wait(gravel_s1, to_next)
    ! gravel: the wait moved here, was line 29: call mpi_send(to_prev, n, mpi_double_precision, prev, 62, m...
    call gravel_wait(gravel_s2, to_prev)
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
end program two_sends_one_loop
