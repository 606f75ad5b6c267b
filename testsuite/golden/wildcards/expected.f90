! Everybody sends pieces to rank 0, which takes them as they come: their producers announce them. Messages of another
! tag travel as usual.
program wildcards
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 12000, max_ranks = 16
  integer :: i, k, step, got, source
  integer :: status(mpi_status_size)
  double precision :: piece(n), taken(n), sums(0:max_ranks), weights(n), ring_in(n), ring_out(n), local
  integer :: ierr, rank, ranks, next, prev
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  sums = 0.0d0
  local = 0.0d0
  do i = 1, n
    weights(i) = dble(mod(i * 7, 13)) * 0.25d0
    ring_out(i) = dble(rank)
  end do
  do step = 1, 3
    ! gravel: null where the branch below is not taken
    gravel_s1 = gravel_request_null
    ! gravel: posted early, was line 44: call mpi_sendrecv(ring_out, n, mpi_double_precision, next, 6, ring...
    call gravel_post_rcv_segments(ring_in, n, mpi_double_precision, prev, 6, mpi_comm_world, gravel_r2)
    if (rank /= 0) then
      ! gravel: one handshake, a put per tile, was line 29: call mpi_send(piece, n, mpi_double_precision, 0...
      call gravel_post_snd_request(piece, n, mpi_double_precision, 0, 5, mpi_comm_world, gravel_t1)
      gravel_step1 = gravel_tile(gravel_t1, n)
      do gravel_lo1 = 1, n, gravel_step1
         gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
         do i = gravel_lo1, gravel_hi1
           piece(i) = weights(i) * dble(rank + step)
         end do
         call gravel_post_os_put(gravel_t1, piece, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
      end do
      ! gravel: sent tile by tile above, was line 29: call mpi_send(piece, n, mpi_double_precision, 0, 5, m...
      call gravel_send_fin(gravel_t1, gravel_s1, ierr)
      ! Goes on while the piece is on its way.
      do i = 1, n
        weights(i) = weights(i) + dble(mod(i, 3)) * 0.5d0
      end do
    else
      do k = 1, ranks - 1
        ! gravel: posted here, was line 36: call mpi_recv(taken, n, mpi_double_precision, mpi_any_source, 5...
        call gravel_post_rcv_announced(taken, n, mpi_double_precision, mpi_any_source, 5, mpi_comm_world, &
             gravel_r1)
        call gravel_wait(gravel_r1, taken, status, ierr)
        source = status(mpi_source)
        call mpi_get_count(status, mpi_double_precision, got, ierr)
        do i = 1, got
          sums(source) = sums(source) + taken(i)
        end do
      end do
    end if
    ! gravel: sent without waiting, was line 44: call mpi_sendrecv(ring_out, n, mpi_double_precision, next,...
    call gravel_post_send(ring_out, n, mpi_double_precision, next, 6, mpi_comm_world, gravel_s2, ierr)
    do i = 1, n
      local = local + weights(i)
    end do
    ! gravel: the wait moved here, was line 44: call mpi_sendrecv(ring_out, n, mpi_double_precision, next, ...
    call gravel_wait(gravel_s2, ring_out)
    ! gravel: waits here for what each tile reads, was line 44: call mpi_sendrecv(ring_out, n, mpi_double_p...
    gravel_step2 = gravel_tile(gravel_r2, n)
    if (gravel_step2 >= n) call gravel_wait(gravel_r2, ring_in)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(gravel_r2, ring_in, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         ring_out(i) = ring_in(i) + 1.0d0
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(gravel_r2, ring_in)
    ! gravel: the wait moved here, was line 29: call mpi_send(piece, n, mpi_double_precision, 0, 5, mpi_com...
    call gravel_wait(gravel_s1, piece)
  end do
  sums(ranks) = local + ring_out(n)
  if (rank == 0) then
    do i = 0, ranks
      write (*, '(a,i0,a,es24.16)') 'sum ', i, ': ', sums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program wildcards
