! What has come is read by loops that go through it from its beginning to its end: element by element, with
! its neighbours, and row by row. Each tile of a loop waits for what it reads.
! ranks: 2 4
program strip_mined_consumer
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30000, nx = 150, ny = 200
  integer :: i, j, step
  integer :: request
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), field(n), smooth(n), plane(nx, ny), halo(nx*ny)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_r3, gravel_s1, gravel_s2, gravel_s3, gravel_s4
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2, gravel_t3
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_lo5, gravel_hi1, gravel_hi2, gravel_hi3, &
       gravel_hi4, gravel_hi5, gravel_step1, gravel_step2, gravel_step3, gravel_step4, gravel_step5

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 23)) * 0.5d0
  end do
  plane = 1.0d0
  smooth = 0.0d0
  do step = 1, 3
    ! Element by element.
    ! gravel: posted early, was line 33: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_wo...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request)
    ! gravel: posted early, was line 54: call mpi_recv(halo, nx*ny, mpi_double_precision, prev, 3, mpi_comm...
    if (mod(rank, 2) == 0) call gravel_post_rcv_buffer_rdma(halo, nx*ny, mpi_double_precision, prev, 3, &
         mpi_comm_world, gravel_r2)
    ! gravel: one handshake, a put per tile, was line 34: call mpi_send(sbuf, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: moved away from here, was line 33: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi...
    ierr = 0
    ! gravel: sent tile by tile above, was line 34: call mpi_send(sbuf, n, mpi_double_precision, next, 1, m...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 35: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 35: call mpi_wait(request, status, ierr)
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, rbuf, status)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) * 0.5d0 + rbuf(i) * 0.25d0
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, rbuf, status)
    ! gravel: the wait moved here, was line 34: call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_c...
    call gravel_wait(gravel_s1, sbuf)
    ! With the neighbours.
    ! gravel: posted early, was line 43: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 2, rbuf, n,...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 43: call mpi_sendrecv(sbuf, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, gravel_t2)
    gravel_step3 = gravel_tile(gravel_t2, n)
    do gravel_lo3 = 1, n, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
       do i = gravel_lo3, gravel_hi3
         sbuf(i) = field(i) - dble(step)
       end do
       call gravel_post_os_put(gravel_t2, sbuf, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
    end do
    ! gravel: sent tile by tile above, was line 43: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, ...
    call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    ! gravel: waits here for what each tile reads, was line 43: call mpi_sendrecv(sbuf, n, mpi_double_preci...
    gravel_step4 = gravel_tile(gravel_r1, (n - 1) - 2 + 1)
    if (gravel_step4 >= (n - 1) - 2 + 1) call gravel_wait(gravel_r1, rbuf)
    do gravel_lo4 = 2, n - 1, gravel_step4
       gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, (n - 1) - gravel_lo4)
       if (gravel_step4 < (n - 1) - 2 + 1) call gravel_wait_range(gravel_r1, rbuf, 0, gravel_hi4 + 1)
       do i = gravel_lo4, gravel_hi4
         smooth(i) = (rbuf(i - 1) + rbuf(i) + rbuf(i + 1)) * 0.25d0 + field(i)
       end do
    end do
    if (gravel_step4 < (n - 1) - 2 + 1) call gravel_wait(gravel_r1, rbuf)
    ! gravel: the wait moved here, was line 43: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 2, r...
    call gravel_wait(gravel_s2, sbuf)
    ! Row by row.
    ! gravel: one handshake, a put per tile, was line 53: call mpi_send(sbuf, nx*ny, mpi_double_precision, ...
    gravel_t3 = gravel_transfer_null
    if (mod(rank, 2) == 0) call gravel_wait_rcv_buffer(sbuf, nx*ny, mpi_double_precision, next, 3, &
         mpi_comm_world, gravel_t3)
    gravel_step5 = gravel_tile(gravel_t3, n)
    do gravel_lo5 = 1, n, gravel_step5
       gravel_hi5 = gravel_lo5 + min(gravel_step5 - 1, n - gravel_lo5)
       do i = gravel_lo5, gravel_hi5
         sbuf(i) = smooth(i) * 0.125d0
       end do
       call gravel_post_os_put(gravel_t3, sbuf, gravel_lo5 - 1, gravel_hi5 - gravel_lo5 + 1)
    end do
    ! gravel: null where the branch below is not taken
    gravel_s3 = gravel_request_null
    ! gravel: null where the branch below is not taken
    gravel_s4 = gravel_request_null
    if (mod(rank, 2) == 0) then
      ! gravel: sent tile by tile above, was line 53: call mpi_send(sbuf, nx*ny, mpi_double_precision, next...
      call gravel_send_fin(gravel_t3, gravel_s3, ierr)
      ! gravel: waits here, was line 54: call mpi_recv(halo, nx*ny, mpi_double_precision, prev, 3, mpi_comm...
      call gravel_wait(gravel_r2, halo, status, ierr)
    else
      ! gravel: posted here, was line 56: call mpi_recv(halo, nx*ny, mpi_double_precision, prev, 3, mpi_com...
      call gravel_post_rcv_buffer_rdma(halo, nx*ny, mpi_double_precision, prev, 3, mpi_comm_world, gravel_r3, &
           ierr)
      ! gravel: sent without waiting, was line 57: call mpi_send(sbuf, nx*ny, mpi_double_precision, next, 3...
      call gravel_post_send(sbuf, nx*ny, mpi_double_precision, next, 3, mpi_comm_world, gravel_s4, ierr)
      ! gravel: the wait moved here, was line 56: call mpi_recv(halo, nx*ny, mpi_double_precision, prev, 3,...
      call gravel_wait(gravel_r3, halo, status)
    end if
    do j = 1, ny
      do i = 1, nx
        plane(i, j) = plane(i, j) * 0.5d0 + halo((j - 1)*nx + i)
      end do
    end do
    ! gravel: the wait moved here, was line 53: call mpi_send(sbuf, nx*ny, mpi_double_precision, next, 3, m...
    call gravel_wait(gravel_s3, sbuf)
    ! gravel: the wait moved here, was line 57: call mpi_send(sbuf, nx*ny, mpi_double_precision, next, 3, m...
    call gravel_wait(gravel_s4, sbuf)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9)) + smooth(i)
  end do
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + plane(i, j) * dble(i + j)
    end do
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
end program strip_mined_consumer
