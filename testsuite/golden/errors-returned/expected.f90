! MPI returns errors. Codes that the next call overwrites are nobody's: their waits and posts move. Where a code is looked at, its
! call stays, and what is posted or opened above it leaves its errors to it.
program errors_returned
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, code, i
  integer :: requests(2)
  double precision :: edge(n), halo(n), inner(n), other(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call gravel_errors_return()
  call mpi_errhandler_set(mpi_comm_world, mpi_errors_return, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  ! gravel: one handshake, a put per tile, was line 28: call mpi_isend(edge, n, mpi_double_precision, next,...
  call gravel_wait_rcv_buffer(edge, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       edge(i) = dble(rank + 1) / dble(i)
       halo(i) = 0.0d0
     end do
     call gravel_post_os_put(gravel_t1, edge, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: posted here, was line 27: call mpi_irecv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world...
  call gravel_post_rcv_segments(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, requests(1), ierr)
  ! gravel: sent tile by tile above, was line 28: call mpi_isend(edge, n, mpi_double_precision, next, 5, mp...
  call gravel_send_fin(gravel_t1, requests(2), ierr)
  ! gravel: moved away from here, was line 29: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  ierr = 0
  do i = 1, n
    inner(i) = sqrt(dble(i))
  end do

  ! gravel: one handshake, a put per tile, was line 37: call mpi_send(other, n, mpi_double_precision, next,...
  call gravel_wait_rcv_buffer(other, n, mpi_double_precision, next, 6, mpi_comm_world, gravel_t2)
  ! gravel: waits here for what each tile reads, was line 29: call mpi_waitall(2, requests, mpi_statuses_ig...
  gravel_step2 = gravel_tile([gravel_t2, requests(1)], n)
  if (gravel_step2 >= n) call gravel_wait(requests(1), halo)
  do gravel_lo2 = 1, n, gravel_step2
     gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
     if (gravel_step2 < n) call gravel_wait_range(requests(1), halo, 0, gravel_hi2)
     do i = gravel_lo2, gravel_hi2
       other(i) = inner(i) + halo(i) * dble(mod(i, 7))
     end do
     call gravel_post_os_put(gravel_t2, other, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
  end do
  if (gravel_step2 < n) call gravel_wait(requests(1), halo)
  ! gravel: sent tile by tile above, was line 37: call mpi_send(other, n, mpi_double_precision, next, 6, mp...
  call gravel_send_fin(gravel_t2, gravel_s2, code)
  call gravel_wait(gravel_s2, other)
  ! gravel: the wait moved here, was line 29: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  call gravel_wait(requests(2), edge)
  if (code /= mpi_success) write (*, '(a,i0)') 'not sent by ', rank
  ! gravel: posted here, was line 39: call mpi_recv(halo, n, mpi_double_precision, prev, 6, mpi_comm_world,...
  call gravel_post_rcv_buffer_rdma(halo, n, mpi_double_precision, prev, 6, mpi_comm_world, gravel_r1)
  call gravel_wait(gravel_r1, halo, code)
  do i = 1, n
    inner(i) = inner(i) + edge(i)
  end do
  if (code /= mpi_success) write (*, '(a,i0)') 'not received by ', rank
  checksum = sum(inner) + sum(halo)

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
end program errors_returned
