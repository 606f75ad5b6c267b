! Directives fix the tiles of a loop, leave a transformation out, and leave a whole exchange with MPI.
! ranks: 2 4
program directives
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), a(n), edge(n), halo(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  do step = 1, 3
    ! gravel: posted here, was line 24: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_wor...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_world, request, ierr)
    !$gravel tile(1024)
    ! gravel: one handshake, a put per tile, was line 31: call mpi_send(sbuf, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 4, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    if (gravel_step1 < n) gravel_step1 = 1024
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = a(i) * 0.125d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! The wait of this send stays where it is.
    !$GRAVEL skip(sink-wait)
    ! gravel: sent tile by tile above, was line 31: call mpi_send(sbuf, n, mpi_double_precision, next, 4, m...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    call gravel_wait(gravel_s1, sbuf)
    ! gravel: moved away from here, was line 32: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 32: call mpi_wait(request, status, ierr)
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, rbuf, status)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         a(i) = a(i) + rbuf(i) * 0.25d0
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, rbuf, status)

    ! A branch is left alone with everything in it, and with it what its messages could meet.
    do i = 1, n
      edge(i) = a(i) + 1.0d0
    end do
    !$gravel skip
    if (mod(rank, 2) == 0) then
      call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
      call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, status, ierr)
    else
      call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, status, ierr)
      call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
    end if
    a(1) = a(1) + halo(n)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + a(i) * dble(mod(i, 7))
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
end program directives
