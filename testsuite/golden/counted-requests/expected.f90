! Requests are counted as they are made. The receives are posted before the work above, which the counter
! and the waits of the step before do not keep them from: their requests take their places later.
program counted_requests
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer :: i, step, nreq, left, right
  integer :: requests(4)
  double precision :: to_left(n), to_right(n), from_left(n), from_right(n), field(n), inner(n)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_hi1, gravel_step1

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
  left = rank - 1
  right = rank + 1
  if (right == ranks) right = -1
  from_left = 0.0d0
  from_right = 0.0d0
  do step = 1, 3
    ! gravel: posted early, was line 36: call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_co...
    if (left >= 0) call gravel_post_rcv_buffer_rdma(from_left, n, mpi_double_precision, left, 1, &
         mpi_comm_world, gravel_r1)
    ! gravel: posted early, was line 40: call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mpi_...
    if (right >= 0) call gravel_post_rcv_buffer_rdma(from_right, n, mpi_double_precision, right, 2, &
         mpi_comm_world, gravel_r2)
    do i = 1, n
      inner(i) = field(i) * 0.75d0 + dble(step)
    end do
    nreq = 0
    if (left >= 0) then
      nreq = nreq + 1
      ! gravel: posted above, was line 36: call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_...
      requests(nreq) = gravel_r1
      ierr = 0
    end if
    if (right >= 0) then
      nreq = nreq + 1
      ! gravel: posted above, was line 40: call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mp...
      requests(nreq) = gravel_r2
      ierr = 0
    end if
    ! gravel: one handshake, a put per tile, was line 48: call mpi_isend(to_left, n, mpi_double_precision, ...
    gravel_t1 = gravel_transfer_null
    if (left >= 0) call gravel_wait_rcv_buffer(to_left, n, mpi_double_precision, left, 2, mpi_comm_world, &
         gravel_t1)
    ! gravel: one handshake, a put per tile, was line 52: call mpi_isend(to_right, n, mpi_double_precision,...
    gravel_t2 = gravel_transfer_null
    if (right >= 0) call gravel_wait_rcv_buffer(to_right, n, mpi_double_precision, right, 1, mpi_comm_world, &
         gravel_t2)
    gravel_step1 = gravel_tile([gravel_t1, gravel_t2], n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         to_left(i) = inner(i) * 0.5d0
         to_right(i) = inner(i) * 0.25d0
       end do
       call gravel_post_os_put(gravel_t1, to_left, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
       call gravel_post_os_put(gravel_t2, to_right, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    if (left >= 0) then
      nreq = nreq + 1
      ! gravel: sent tile by tile above, was line 48: call mpi_isend(to_left, n, mpi_double_precision, left...
      call gravel_send_fin(gravel_t1, requests(nreq), ierr)
    end if
    if (right >= 0) then
      nreq = nreq + 1
      ! gravel: sent tile by tile above, was line 52: call mpi_isend(to_right, n, mpi_double_precision, rig...
      call gravel_send_fin(gravel_t2, requests(nreq), ierr)
    end if
    ! gravel: waits here, was line 54: call mpi_waitall(nreq, requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(nreq, requests, ierr)
    call gravel_f_sync_reg(from_left)
    call gravel_f_sync_reg(from_right)
    call gravel_f_sync_reg(to_left)
    call gravel_f_sync_reg(to_right)
    do i = 1, n
      field(i) = field(i) * 0.125d0 + from_left(i) + from_right(i)
    end do
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
end program counted_requests
