! Requests are counted as they are made, and so many are waited for.
program waitall_counted
  use mpi_f08
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i, step
  type(mpi_request) :: requests(4)
  integer :: left, right, pending
  double precision :: to_left(n), to_right(n), from_left(n), from_right(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  left = merge(mpi_proc_null, rank - 1, rank == 0)
  right = merge(mpi_proc_null, rank + 1, rank == ranks - 1)
  from_left = 0.0d0
  from_right = 0.0d0

  do step = 1, 3
    pending = 0
    if (left /= mpi_proc_null) then
      pending = pending + 1
      ! gravel: posted here, was line 30: call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_c...
      call gravel_post_rcv_buffer_rdma(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, &
           requests(pending))
    end if
    if (right /= mpi_proc_null) then
      pending = pending + 1
      ! gravel: posted here, was line 34: call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mpi...
      call gravel_post_rcv_buffer_rdma(from_right, n, mpi_double_precision, right, 2, mpi_comm_world, &
           requests(pending))
    end if
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
    if (left /= mpi_proc_null) then
      pending = pending + 1
      ! gravel: sent tile by tile above, was line 41: call mpi_isend(to_left, n, mpi_double_precision, left...
      call gravel_send_fin(gravel_t1, requests(pending))
    end if
    ! gravel: one handshake, a put per tile, was line 48: call mpi_isend(to_right, n, mpi_double_precision,...
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
    if (right /= mpi_proc_null) then
      pending = pending + 1
      ! gravel: sent tile by tile above, was line 48: call mpi_isend(to_right, n, mpi_double_precision, rig...
      call gravel_send_fin(gravel_t2, requests(pending))
    end if
    ! gravel: waits here, was line 50: call mpi_waitall(pending, requests, mpi_statuses_ignore)
    if (pending > 0) then
       call gravel_waitall(pending, requests)
       call gravel_f_sync_reg(from_left)
       call gravel_f_sync_reg(from_right)
       call gravel_f_sync_reg(to_left)
       call gravel_f_sync_reg(to_right)
    end if
    do i = 1, n
      field(i) = field(i) * 0.125d0 + from_left(i) + from_right(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program waitall_counted
