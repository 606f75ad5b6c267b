! Loops behind a receive that can't wait for it tile by tile, each for another reason.
program consumer_kept_whole
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer :: i, k, step
  integer :: place(n)
  double precision :: sbuf(n), rbuf(n), field(n), total
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_r3, gravel_r4, gravel_r5, gravel_r6, gravel_s1, &
       gravel_s2, gravel_s3, gravel_s4, gravel_s5, gravel_s6
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 23)) * 0.5d0
    place(i) = n + 1 - i
  end do
  total = 0.0d0
  do step = 1, 3
    ! gravel: posted early, was line 30: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 1, rbuf, n,...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 30: call mpi_sendrecv(sbuf, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! Backwards.
    ! gravel: sent tile by tile above, was line 30: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, ...
    call gravel_send_fin(gravel_t1, gravel_s1)
    call gravel_wait(gravel_r1, rbuf, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(n + 1 - i)
    end do
    ! A sum.
    ! gravel: receives and sends here, was line 36: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, ...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, gravel_r2)
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, gravel_s2)
    call gravel_wait(gravel_r2, rbuf, ierr)
    do i = 1, n
      total = total + rbuf(i)
    end do
    ! In an order that only the program knows.
    ! gravel: receives and sends here, was line 42: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, ...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 3, mpi_comm_world, gravel_r3)
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 3, mpi_comm_world, gravel_s3)
    call gravel_wait(gravel_r3, rbuf, ierr)
    do i = 1, n
      field(i) = field(i) + rbuf(place(i)) * 0.125d0
    end do
    ! The buffer is changed.
    ! gravel: receives and sends here, was line 48: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, ...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_world, gravel_r4)
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 4, mpi_comm_world, gravel_s4)
    call gravel_wait(gravel_r4, rbuf, ierr)
    do i = 1, n
      rbuf(i) = rbuf(i) * 0.5d0
    end do
    total = total + rbuf(n)
    ! The loop is left early.
    ! gravel: receives and sends here, was line 55: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, ...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 5, mpi_comm_world, gravel_r5)
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_s5)
    call gravel_wait(gravel_r5, rbuf, ierr)
    k = 0
    do i = 1, n
      if (rbuf(i) > 7.0d0) exit
      k = k + 1
    end do
    total = total + dble(k)
    ! No loop.
    ! gravel: receives and sends here, was line 64: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, ...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 6, mpi_comm_world, gravel_r6)
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 6, mpi_comm_world, gravel_s6)
    call gravel_wait(gravel_r6, rbuf, ierr)
    field = field * 0.5d0 + rbuf
    ! gravel: the wait moved here, was line 30: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 1, r...
    call gravel_wait(gravel_s1, sbuf)
    ! gravel: the wait moved here, was line 36: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 2, r...
    call gravel_wait(gravel_s2, sbuf)
    ! gravel: the wait moved here, was line 42: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 3, r...
    call gravel_wait(gravel_s3, sbuf)
    ! gravel: the wait moved here, was line 48: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 4, r...
    call gravel_wait(gravel_s4, sbuf)
    ! gravel: the wait moved here, was line 55: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 5, r...
    call gravel_wait(gravel_s5, sbuf)
    ! gravel: the wait moved here, was line 64: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 6, r...
    call gravel_wait(gravel_s6, sbuf)
  end do
  checksum = total
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
end program consumer_kept_whole
