! Tags and lengths are elements of constant arrays and of arrays that get their numbers where declared, by DATA or by
! one assignment as a whole. So the report of each rank to rank 0, which is received from any process, is told from the
! messages along the ring.
module settings
  implicit none
  integer, parameter :: ring = 1, report = 2, limits = 3
  integer, parameter :: tags(3) = (/ 7, 8, 9 /)
  integer, parameter :: lengths(0:1) = [integer :: 40000, 1]
  integer, save :: partner_tags(2)
  data partner_tags(2), partner_tags(1) / 12, 11 /
end module settings

program constant_arrays
  use mpi
  use settings
  use gravel
  implicit none

  integer, parameter :: n = lengths(0)
  integer :: steps, first, last
  data steps, first, last / 3, 2*1 /
  integer :: more_tags(2)
  integer :: ierr, rank, ranks, next, prev, request, answer, report_request, i, step
  double precision :: sbuf(lengths(0)), rbuf(n), field(n), checksum, total, other, limit
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2, gravel_s3, gravel_s4, gravel_s5
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
  ! gravel: posted early, was line 55: call mpi_irecv(total, lengths(1), mpi_double_precision, mpi_any_sour...
  call gravel_post_rcv_announced(total, lengths(1), mpi_double_precision, mpi_any_source, tags(report), &
       mpi_comm_world, report_request)
  ! gravel: posted early, was line 60: call mpi_sendrecv(checksum, 1, mpi_double_precision, prev, partner_t...
  call gravel_post_rcv_announced(limit, 1, mpi_double_precision, mpi_any_source, partner_tags(2), &
       mpi_comm_world, gravel_r1)
  more_tags = [21, 22]
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 13)) * 0.5d0
  end do
  do step = 1, steps
    ! gravel: posted here, was line 35: call mpi_irecv(rbuf, lengths(0), mpi_double_precision, prev, tags(r...
    call gravel_post_rcv_segments(rbuf, lengths(0), mpi_double_precision, prev, tags(ring), mpi_comm_world, &
         request, ierr)
    ! gravel: one handshake, a put per tile, was line 39: call mpi_send(sbuf, lengths(0), mpi_double_precis...
    call gravel_wait_rcv_buffer(sbuf, lengths(0), mpi_double_precision, next, tags(ring), mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, lengths(0))
    do gravel_lo1 = 1, lengths(0), gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, lengths(0) - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 39: call mpi_send(sbuf, lengths(0), mpi_double_precision, n...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 40: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 40: call mpi_wait(request, mpi_status_ignore, i...
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, rbuf)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) * 0.25d0 + rbuf(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, rbuf)
    ! gravel: the wait moved here, was line 39: call mpi_send(sbuf, lengths(0), mpi_double_precision, next,...
    call gravel_wait(gravel_s1, sbuf)
    ! gravel: posted here, was line 44: call mpi_irecv(rbuf, n, mpi_double_precision, next, partner_tags(fi...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, next, partner_tags(first), mpi_comm_world, &
         answer, ierr)
    ! gravel: one handshake, a put per tile, was line 48: call mpi_send(sbuf, n, mpi_double_precision, prev...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, prev, partner_tags(last), mpi_comm_world, &
         gravel_t2)
    gravel_step3 = gravel_tile(gravel_t2, n)
    do gravel_lo3 = 1, n, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
       do i = gravel_lo3, gravel_hi3
         sbuf(i) = field(i) * 0.125d0
       end do
       call gravel_post_os_put(gravel_t2, sbuf, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
    end do
    ! gravel: sent tile by tile above, was line 48: call mpi_send(sbuf, n, mpi_double_precision, prev, part...
    call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    ! gravel: moved away from here, was line 49: call mpi_wait(answer, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 49: call mpi_wait(answer, mpi_status_ignore, ierr)
    gravel_step4 = gravel_tile(answer, n)
    if (gravel_step4 >= n) call gravel_wait(answer, rbuf)
    do gravel_lo4 = 1, n, gravel_step4
       gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, n - gravel_lo4)
       if (gravel_step4 < n) call gravel_wait_range(answer, rbuf, 0, gravel_hi4)
       do i = gravel_lo4, gravel_hi4
         field(i) = field(i) * 0.5d0 + rbuf(i)
       end do
    end do
    if (gravel_step4 < n) call gravel_wait(answer, rbuf)
    ! gravel: the wait moved here, was line 48: call mpi_send(sbuf, n, mpi_double_precision, prev, partner_...
    call gravel_wait(gravel_s2, sbuf)
  end do
  checksum = sum(field)
  ! gravel: moved away from here, was line 55: call mpi_irecv(total, lengths(1), mpi_double_precision, mpi_...
  ierr = 0
  ! gravel: posted early, was line 62: call mpi_sendrecv(total, 1, mpi_double_precision, prev, more_tags(fi...
  call gravel_post_rcv_announced(other, 1, mpi_double_precision, mpi_any_source, more_tags(first), &
       mpi_comm_world, gravel_r2)
  ! gravel: sent without waiting, was line 57: call mpi_send(checksum, 1, mpi_double_precision, next, tags(...
  call gravel_post_snd_buffer_rdma(checksum, 1, mpi_double_precision, next, tags(report), mpi_comm_world, &
       gravel_s3, ierr)
  ! gravel: waits here, was line 58: call mpi_wait(report_request, mpi_status_ignore, ierr)
  call gravel_wait(report_request, total, ierr)
  ! gravel: the wait moved here, was line 57: call mpi_send(checksum, 1, mpi_double_precision, next, tags(r...
  call gravel_wait(gravel_s3, checksum)
  checksum = dble(rank)
  ! gravel: sent without waiting, was line 60: call mpi_sendrecv(checksum, 1, mpi_double_precision, prev, p...
  call gravel_post_snd_buffer_rdma(checksum, 1, mpi_double_precision, prev, partner_tags(2), mpi_comm_world, &
       gravel_s4)
  call gravel_wait(gravel_r1, limit, ierr)
  ! gravel: sent without waiting, was line 62: call mpi_sendrecv(total, 1, mpi_double_precision, prev, more...
  call gravel_post_snd_buffer_rdma(total, 1, mpi_double_precision, prev, more_tags(first), mpi_comm_world, &
       gravel_s5)
  call gravel_wait(gravel_r2, other, ierr)
  call gravel_wait(gravel_s5, total)
  ! gravel: the wait moved here, was line 60: call mpi_sendrecv(checksum, 1, mpi_double_precision, prev, pa...
  call gravel_wait(gravel_s4, checksum)
  call mpi_reduce(other, checksum, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, 2es24.16)') 'largest sum ', checksum, limit
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program constant_arrays
