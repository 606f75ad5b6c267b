! The handles are of derived types, the last argument is left out.
program handles_of_f08
  use mpi_f08
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, next, prev, i, step
  type(mpi_request) :: request
  double precision :: sbuf(n), rbuf(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 77)) * 0.125d0
  end do
  do step = 1, 3
    ! gravel: posted here, was line 23: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 6, mpi_comm_wor...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 6, mpi_comm_world, request)
    ! gravel: one handshake, a put per tile, was line 27: call mpi_send(sbuf, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 6, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 27: call mpi_send(sbuf, n, mpi_double_precision, next, 6, m...
    call gravel_send_fin(gravel_t1, gravel_s1)
    ! gravel: moved away from here, was line 28: call mpi_wait(request, mpi_status_ignore)
    ! gravel: waits here for what each tile reads, was line 28: call mpi_wait(request, mpi_status_ignore)
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, rbuf)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) + rbuf(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, rbuf)
    ! gravel: the wait moved here, was line 27: call mpi_send(sbuf, n, mpi_double_precision, next, 6, mpi_c...
    call gravel_wait(gravel_s1, sbuf)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 31))
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
end program handles_of_f08
