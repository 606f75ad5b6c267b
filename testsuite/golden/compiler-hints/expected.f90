! Hints to compilers stay with the statements below them: what is inserted goes above them, loops right below are not cut, and
! calls right below are not replaced.
program compiler_hints
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, other, i, k, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), field(n), a(n), table(8, n), w
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1, gravel_s2, gravel_request_2
  integer(gravel_transfer_kind) :: gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  !DIR$ NOINLINE
  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  w = 0.125d0
  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  do step = 1, 3
    ! The loop below is compiled as a whole.
    ! gravel: posted early, was line 33: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_world, request)
    !DIR$ IVDEP
    !GCC$ unroll 4
    do i = 1, n
      sbuf(i) = a(i) * w + dble(step)
    end do
    if (mod(step, 2) == 1) w = 0.5d0 * w
    ! gravel: moved away from here, was line 33: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi...
    ierr = 0
    ! gravel: sent without waiting, was line 34: call mpi_send(sbuf, n, mpi_double_precision, next, 4, mpi_...
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 4, mpi_comm_world, gravel_s1, ierr)
    ! gravel: moved away from here, was line 35: call mpi_wait(request, status, ierr)
    ierr = 0

    !NEC$ ivdep
    do i = 1, n
      field(i) = a(i) + w
    end do
    ! gravel: the wait moved here, was line 35: call mpi_wait(request, status, ierr)
    call gravel_wait(request, rbuf, status)
    !DIR$ VECTOR ALWAYS
    do i = 2, n - 1
      a(i) = 0.5d0 * field(i) + 0.25d0 * rbuf(i)
    end do
    ! gravel: the wait moved here, was line 34: call mpi_send(sbuf, n, mpi_double_precision, next, 4, mpi_c...
    call gravel_wait(gravel_s1, sbuf)

    ! A loop with a hint inside is cut as if it were vectorised itself.
    ! gravel: posted here, was line 47: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 5, mpi_comm_wor...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 5, mpi_comm_world, gravel_request_2, &
         ierr)
    ! gravel: one handshake, a put per tile, was line 56: call mpi_send(sbuf, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t2)
    gravel_step1 = gravel_tile(gravel_t2, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = 0.0d0
         !GCC$ unroll 8
         do k = 1, 8
           table(k, i) = a(i) * dble(k)
           sbuf(i) = sbuf(i) + table(k, i)
         end do
       end do
       call gravel_post_os_put(gravel_t2, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 56: call mpi_send(sbuf, n, mpi_double_precision, next, 5, m...
    call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    ! gravel: moved away from here, was line 57: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 57: call mpi_wait(request, status, ierr)
    gravel_step2 = gravel_tile(gravel_request_2, n)
    if (gravel_step2 >= n) call gravel_wait(gravel_request_2, rbuf, status)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(gravel_request_2, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         a(i) = a(i) + 1.0d-3 * rbuf(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(gravel_request_2, rbuf, status)

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 6, mpi_comm_world, other, ierr)
    !DIR$ NOINLINE
    call mpi_send(a, n, mpi_double_precision, next, 6, mpi_comm_world, ierr)
    call mpi_wait(other, status, ierr)
    ! gravel: the wait moved here, was line 56: call mpi_send(sbuf, n, mpi_double_precision, next, 5, mpi_c...
    call gravel_wait(gravel_s2, sbuf)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + (a(i) + rbuf(i)) * dble(mod(i, 7))
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
  !DIR$ NOINLINE
  call mpi_finalize(ierr)
end program compiler_hints
