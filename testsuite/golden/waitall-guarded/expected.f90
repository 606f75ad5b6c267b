! A chain without wrap-around: where there is no neighbour nothing is posted, and the request stays
! null.
program waitall_guarded
  use gravel
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, step
  integer :: requests(4), left, right
  double precision :: to_left(n), to_right(n), from_left(n), from_right(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_hi1, gravel_hi2, gravel_hi3, gravel_hi4, &
       gravel_step1, gravel_step2, gravel_step3, gravel_step4

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  left = rank - 1
  right = rank + 1
  if (left < 0) left = mpi_proc_null
  if (right >= ranks) right = mpi_proc_null
  from_left = 0.0d0
  from_right = 0.0d0

  do step = 1, 3
    requests = mpi_request_null
    ! gravel: posted early, was line 36: call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_co...
    if (left /= mpi_proc_null) call gravel_post_rcv_segments(from_left, n, mpi_double_precision, left, 1, &
         mpi_comm_world, requests(1))
    ! gravel: posted early, was line 38: call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mpi_...
    if (right /= mpi_proc_null) call gravel_post_rcv_segments(from_right, n, mpi_double_precision, right, 2, &
         mpi_comm_world, requests(2))
    ! gravel: one handshake, a put per tile, was line 41: call mpi_isend(to_left, n, mpi_double_precision, ...
    gravel_t1 = gravel_transfer_null
    if (left /= mpi_proc_null) call gravel_wait_rcv_buffer(to_left, n, mpi_double_precision, left, 2, &
         mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         to_left(i) = field(i) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, to_left, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: one handshake, a put per tile, was line 44: call mpi_isend(to_right, n, mpi_double_precision,...
    gravel_t2 = gravel_transfer_null
    if (right /= mpi_proc_null) call gravel_wait_rcv_buffer(to_right, n, mpi_double_precision, right, 1, &
         mpi_comm_world, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         to_right(i) = field(i) * 0.25d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t2, to_right, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: moved away from here, was line 36: call mpi_irecv(from_left, n, mpi_double_precision, left, 1...
    if (left /= mpi_proc_null) ierr = 0
    ! gravel: moved away from here, was line 38: call mpi_irecv(from_right, n, mpi_double_precision, right,...
    if (right /= mpi_proc_null) ierr = 0
    if (left /= mpi_proc_null) then
      ! gravel: sent tile by tile above, was line 41: call mpi_isend(to_left, n, mpi_double_precision, left...
      call gravel_send_fin(gravel_t1, requests(3), ierr)
    end if
    if (right /= mpi_proc_null) then
      ! gravel: sent tile by tile above, was line 44: call mpi_isend(to_right, n, mpi_double_precision, rig...
      call gravel_send_fin(gravel_t2, requests(4), ierr)
    end if
    ! gravel: moved away from here, was line 46: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 46: call mpi_waitall(4, requests, mpi_statuses_...
    gravel_step3 = gravel_tile(requests(1), n)
    if (gravel_step3 >= n) call gravel_wait(requests(1), from_left)
    do gravel_lo3 = 1, n, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
       if (gravel_step3 < n) call gravel_wait_range(requests(1), from_left, 0, gravel_hi3)
       do i = gravel_lo3, gravel_hi3
         field(i) = field(i) * 0.125d0 + from_left(i)
       end do
    end do
    if (gravel_step3 < n) call gravel_wait(requests(1), from_left)
    ! gravel: waits here for what each tile reads, was line 46: call mpi_waitall(4, requests, mpi_statuses_...
    gravel_step4 = gravel_tile(requests(2), n)
    if (gravel_step4 >= n) call gravel_wait(requests(2), from_right)
    do gravel_lo4 = 1, n, gravel_step4
       gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, n - gravel_lo4)
       if (gravel_step4 < n) call gravel_wait_range(requests(2), from_right, 0, gravel_hi4)
       do i = gravel_lo4, gravel_hi4
         field(i) = field(i) + from_right(i)
       end do
    end do
    if (gravel_step4 < n) call gravel_wait(requests(2), from_right)
    ! gravel: the wait moved here, was line 46: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), to_left)
    call gravel_wait(requests(4), to_right)
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
end program waitall_guarded
