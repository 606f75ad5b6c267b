! Ranks and tags that the program works out only between the loops and the calls: what moves up is given them there.
program early_values
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, rank, ranks, last, step, i, kind_of_message, partner, first, tag, wrapped
  integer :: status(mpi_status_size), source, requests(2), statuses(mpi_status_size, 2)
  double precision :: field(n, 4), sbuf(n), rbuf(n), work(n), checksum
  double precision :: gathered(3, 16)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s3, gravel_r1_exchange, gravel_w1_shift
  integer(gravel_transfer_kind) :: gravel_t2, gravel_t3
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2, &
       gravel_early4_partner, gravel_early2_first, gravel_early3_first, gravel_early1_tag, gravel_early2_tag, &
       gravel_early2_wrapped, gravel_early1_source
  common /gravel_1_exchange/ gravel_r1_exchange
  common /gravel_1w_shift/ gravel_w1_shift

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  last = ranks - 1
  field = 1.0d0 + rank
  work = 0.0d0
  checksum = 0.0d0
  do step = 1, 4
    call shift(field, sbuf, rbuf, rank, ranks)

    ! One variable for the tags of several calls, each set right before its call.
    ! gravel: posted early, was line 31: call mpi_recv(rbuf, n, mpi_double_precision, partner, kind_of_mess...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, mod(rank + last, ranks), 7 + 0*step, &
         mpi_comm_world, gravel_r1)
    do i = 1, n
      work(i) = work(i) + 0.5d0 * field(i, 2)
    end do
    partner = mod(rank + 1, ranks)
    kind_of_message = 7
    ! gravel: sent without waiting, was line 28: call mpi_isend(field(:, 1), n, mpi_double_precision, partn...
    call gravel_post_send(field(:, 1), n, mpi_double_precision, partner, kind_of_message, mpi_comm_world, &
         requests(1), ierr)
    partner = mod(rank + last, ranks)
    kind_of_message = 7 + 0*step
    ! gravel: waits here, was line 31: call mpi_recv(rbuf, n, mpi_double_precision, partner, kind_of_messag...
    call gravel_wait(gravel_r1, rbuf, status, ierr)
    checksum = checksum + sum(rbuf) / n + status(mpi_tag)
    ! gravel: moved away from here, was line 33: call mpi_wait(requests(1), status, ierr)
    ierr = 0

    ! Set in some branches only: else it stays what it was above the loop.
    source = mpi_proc_null
    tag = 20
    rbuf = 0.0d0
    ! gravel: the wait moved here, was line 33: call mpi_wait(requests(1), status, ierr)
    call gravel_wait(requests(1), field, status)
    ! gravel: waits here for what line 20 has begun: call shift(field, sbuf, rbuf, rank, ranks)
    call gravel_wait(gravel_w1_shift, sbuf)
    ! gravel: what the call at line 51 needs, computed as further down
    gravel_early1_tag = tag
    gravel_early1_source = source
    if ((rank + step) > last) then
       if (step == 2) gravel_early1_tag = gravel_early1_tag + 1
    else if (step == 2) then
       gravel_early1_tag = gravel_early1_tag + 1
    end if
    if (step /= 3) gravel_early1_source = mod(rank - step + 4 * ranks, ranks)
    ! gravel: what the call at line 57 needs, computed as further down
    gravel_early2_tag = tag
    gravel_early2_wrapped = rank + step
    if (gravel_early2_wrapped > last) then
       gravel_early2_wrapped = mod(gravel_early2_wrapped, ranks)
       if (step == 2) gravel_early2_tag = gravel_early2_tag + 1
    else if (step == 2) then
       gravel_early2_tag = gravel_early2_tag + 1
    end if
    if (step /= 3) then
       gravel_early2_first = gravel_early2_wrapped
    else
       gravel_early2_first = mpi_proc_null
    end if
    ! gravel: posted early, was line 51: call mpi_irecv(rbuf, n, mpi_double_precision, source, tag, mpi_com...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, gravel_early1_source, gravel_early1_tag, &
         mpi_comm_world, requests(1))
    ! gravel: one handshake, a put per tile, was line 57: call mpi_isend(sbuf, n, mpi_double_precision, fir...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, gravel_early2_first, gravel_early2_tag, &
         mpi_comm_world, gravel_t2)
    gravel_step1 = gravel_tile(gravel_t2, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i, 3) + 0.25d0 * work(i)
       end do
       call gravel_post_os_put(gravel_t2, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    wrapped = rank + step
    if (wrapped > last) then
      ! Comments stay where they are.
      wrapped = mod(wrapped, ranks)
      if (step == 2) tag = tag + 1
    else if (step == 2) then
      tag = tag + 1
    end if
    if (step /= 3) source = mod(rank - step + 4 * ranks, ranks)
    ! gravel: moved away from here, was line 51: call mpi_irecv(rbuf, n, mpi_double_precision, source, tag,...
    ierr = 0
    if (step /= 3) then
      first = wrapped
    else
      first = mpi_proc_null
    end if
    ! gravel: sent tile by tile above, was line 57: call mpi_isend(sbuf, n, mpi_double_precision, first, ta...
    call gravel_send_fin(gravel_t2, requests(2), ierr)
    ! gravel: waits here, was line 58: call mpi_waitall(2, requests, statuses, ierr)
    call gravel_wait(requests(1), rbuf, statuses(:, 1), ierr)
    field(:, 4) = field(:, 4) + rbuf
    ! gravel: the wait moved here, was line 58: call mpi_waitall(2, requests, statuses, ierr)
    call gravel_wait(requests(2), sbuf, statuses(:, 2))
    if (step /= 3 .and. statuses(mpi_source, 1) /= source) checksum = checksum + 1.0d6

    ! Below a branch, and in it.
    ! gravel: what the call at line 77 needs, computed as further down
    if (rank < last) then
       gravel_early3_first = rank
       gravel_early3_first = gravel_early3_first + 1
    end if
    ! gravel: posted early, was line 77: call mpi_recv(rbuf, n, mpi_double_precision, first, tag, mpi_comm_...
    if (rank < last) call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, gravel_early3_first, &
         30 + step, mpi_comm_world, gravel_r2)
    ! gravel: one handshake, a put per tile, was line 69: call mpi_send(sbuf, n, mpi_double_precision, firs...
    gravel_t3 = gravel_transfer_null
    if (rank > 0) call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, rank - 1, 30 + step, &
         mpi_comm_world, gravel_t3)
    gravel_step2 = gravel_tile(gravel_t3, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         sbuf(i) = 0.5d0 * field(i, 4)
       end do
       call gravel_post_os_put(gravel_t3, sbuf, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    tag = 30 + step
    ! gravel: null where the branch below is not taken
    gravel_s3 = gravel_request_null
    if (rank > 0) then
      first = rank - 1
      ! gravel: sent tile by tile above, was line 69: call mpi_send(sbuf, n, mpi_double_precision, first, t...
      call gravel_send_fin(gravel_t3, gravel_s3, ierr)
    end if
    do i = 1, n
      work(i) = 0.5d0 * work(i)
    end do
    if (rank < last) then
      first = rank
      first = first + 1
      ! gravel: waits here, was line 77: call mpi_recv(rbuf, n, mpi_double_precision, first, tag, mpi_comm_...
      call gravel_wait(gravel_r2, rbuf, status, ierr)
      field(:, 2) = field(:, 2) + rbuf
    end if

    ! The caller of a procedure that begins with a receive.
    ! gravel: what the call at line 89 needs, computed as further down
    gravel_early4_partner = rank - 1
    if (rank == 0) gravel_early4_partner = last
    ! gravel: posted early for `exchange`, was line 124 there: call mpi_irecv(received, n, mpi_double_preci...
    call gravel_post_rcv_buffer_rdma(rbuf, 30000, mpi_double_precision, gravel_early4_partner, 50 + step, &
         mpi_comm_world, gravel_r1_exchange)
    do i = 1, n
      work(i) = work(i) + 1.0d0 / step
    end do
    partner = rank - 1
    if (rank == 0) partner = last
    first = rank + 1
    if (rank == last) first = 0
    call exchange(rbuf, field(:, 1), partner, first, 50 + step)
    field(:, 1) = 0.5d0 * (field(:, 1) + rbuf)
    ! gravel: the wait moved here, was line 69: call mpi_send(sbuf, n, mpi_double_precision, first, tag, mp...
    call gravel_wait(gravel_s3, sbuf)
  end do
  call mpi_gather([checksum, sum(field), sum(work)], 3, mpi_double_precision, gathered, 3, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) print '(3es24.16)', gathered(:, 1:ranks)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  ! Two neighbours, both with a branch for the border.
  subroutine shift(field, sbuf, rbuf, rank, ranks)
    use gravel
    double precision, intent(inout) :: field(n, 4), sbuf(n), rbuf(n)
    integer, intent(in) :: rank, ranks
    integer :: forward, backward, i, tag, ierr, status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_r1, gravel_w1_shift
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2, &
         gravel_early2_forward, gravel_early1_backward
    common /gravel_1w_shift/ gravel_w1_shift
    tag = 10
    ! gravel: what the call at line 112 needs, computed as further down
    gravel_early1_backward = rank - 1
    if (rank == 0) gravel_early1_backward = ranks - 1
    gravel_early2_forward = rank + 1
    if (rank == ranks - 1) gravel_early2_forward = 0
    ! gravel: posted early, was line 112: call mpi_sendrecv(sbuf, n, mpi_double_precision, forward, tag, rb...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, gravel_early1_backward, tag, mpi_comm_world, &
         gravel_r1)
    ! gravel: one handshake, a put per tile, was line 112: call mpi_sendrecv(sbuf, n, mpi_double_precision,...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, gravel_early2_forward, tag, mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = 2.0d0 * field(i, 4)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    forward = rank + 1
    backward = rank - 1
    if (rank == ranks - 1) forward = 0
    if (rank == 0) backward = ranks - 1
    ! gravel: sent tile by tile above, was line 112: call mpi_sendrecv(sbuf, n, mpi_double_precision, forwa...
    call gravel_send_fin(gravel_t1, gravel_w1_shift, ierr)
    ! gravel: waits here for what each tile reads, was line 112: call mpi_sendrecv(sbuf, n, mpi_double_prec...
    gravel_step2 = gravel_tile(gravel_r1, n)
    if (gravel_step2 >= n) call gravel_wait(gravel_r1, rbuf, status)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(gravel_r1, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i, 3) = 0.25d0 * (field(i, 3) + rbuf(i))
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(gravel_r1, rbuf, status)
  end subroutine shift

  subroutine exchange(received, sent, source, destination, tag)
    use gravel
    double precision, intent(inout) :: received(n)
    double precision, intent(in) :: sent(n)
    integer, intent(in) :: source, destination, tag
    integer :: request, ierr, status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_s1, gravel_r1_exchange
    common /gravel_1_exchange/ gravel_r1_exchange
    ! gravel: posted above, was line 124: call mpi_irecv(received, n, mpi_double_precision, source, tag, mp...
    request = gravel_r1_exchange
    ierr = 0
    ! gravel: the argument stays, for those who call
    call gravel_f_sync_reg(source)
    ! gravel: sent without waiting, was line 125: call mpi_send(sent, n, mpi_double_precision, destination,...
    call gravel_post_send(sent, n, mpi_double_precision, destination, tag, mpi_comm_world, gravel_s1, ierr)
    ! gravel: waits here, was line 126: call mpi_wait(request, status, ierr)
    call gravel_wait(request, received, status, ierr)
    ! gravel: the wait moved here, was line 125: call mpi_send(sent, n, mpi_double_precision, destination, ...
    call gravel_wait(gravel_s1, sent)
  end subroutine exchange
end program early_values
