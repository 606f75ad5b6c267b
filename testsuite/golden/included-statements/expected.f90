! Statements are included, twice in a row: each text has edits of its own, and is written out for that. What is included
! without any stays an INCLUDE line.
program included_statements
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer, parameter :: length = 20000
  integer :: ierr, rank, ranks, left, right, i, request
  double precision :: old(length), new(length), received(length)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1, gravel_s2, gravel_request_2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_hi1, gravel_hi2, gravel_hi3, gravel_hi4, &
       gravel_step1, gravel_step2, gravel_step3, gravel_step4

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank - 1 + ranks, ranks)

  ! gravel: posted early, was line 2 of exchange.inc: call mpi_irecv(received, length, mpi_double_precision...
  call gravel_post_rcv_segments(received, length, mpi_double_precision, left, 1, mpi_comm_world, request)
  ! gravel: one handshake, a put per tile, was line 3 of exchange.inc: call mpi_send(old, length, mpi_doubl...
  call gravel_wait_rcv_buffer(old, length, mpi_double_precision, right, 1, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, length)
  do gravel_lo1 = 1, length, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, length - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       old(i) = rank + 1d0 / i
     end do
     call gravel_post_os_put(gravel_t1, old, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
! gravel: the text of exchange.inc, which was included here, begins
! Sends the old values to the right, and computes with those from the left.
  ! gravel: moved away from here, was line 2 of exchange.inc: call mpi_irecv(received, length, mpi_double_p...
  ierr = 0
  ! gravel: sent tile by tile above, was line 3 of exchange.inc: call mpi_send(old, length, mpi_double_prec...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  ! gravel: moved away from here, was line 4 of exchange.inc: call mpi_wait(request, mpi_status_ignore, ierr)
  ierr = 0
  ! gravel: waits here for what each tile reads, was line 4 of exchange.inc: call mpi_wait(request, mpi_sta...
  gravel_step2 = gravel_tile(request, length)
  if (gravel_step2 >= length) call gravel_wait(request, received)
  do gravel_lo2 = 1, length, gravel_step2
     gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, length - gravel_lo2)
     if (gravel_step2 < length) call gravel_wait_range(request, received, 0, gravel_hi2)
     do i = gravel_lo2, gravel_hi2
       new(i) = 0.5d0 * (old(i) + received(i))
     end do
  end do
  if (gravel_step2 < length) call gravel_wait(request, received)
  ! gravel: the wait moved here, was line 3 of exchange.inc: call mpi_send(old, length, mpi_double_precisio...
  call gravel_wait(gravel_s1, old)
! gravel: the text of exchange.inc ends
  ! gravel: posted early, was line 2 of exchange.inc: call mpi_irecv(received, length, mpi_double_precision...
  call gravel_post_rcv_segments(received, length, mpi_double_precision, left, 1, mpi_comm_world, &
       gravel_request_2)
  ! gravel: one handshake, a put per tile, was line 3 of exchange.inc: call mpi_send(old, length, mpi_doubl...
  call gravel_wait_rcv_buffer(old, length, mpi_double_precision, right, 1, mpi_comm_world, gravel_t2)
  gravel_step3 = gravel_tile(gravel_t2, length)
  do gravel_lo3 = 1, length, gravel_step3
     gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, length - gravel_lo3)
     do i = gravel_lo3, gravel_hi3
       old(i) = new(i) + 1
     end do
     call gravel_post_os_put(gravel_t2, old, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
  end do
! gravel: the text of exchange.inc, which was included here, begins
! Sends the old values to the right, and computes with those from the left.
  ! gravel: moved away from here, was line 2 of exchange.inc: call mpi_irecv(received, length, mpi_double_p...
  ierr = 0
  ! gravel: sent tile by tile above, was line 3 of exchange.inc: call mpi_send(old, length, mpi_double_prec...
  call gravel_send_fin(gravel_t2, gravel_s2, ierr)
  ! gravel: moved away from here, was line 4 of exchange.inc: call mpi_wait(request, mpi_status_ignore, ierr)
  ierr = 0
  ! gravel: waits here for what each tile reads, was line 4 of exchange.inc: call mpi_wait(request, mpi_sta...
  gravel_step4 = gravel_tile(gravel_request_2, length)
  if (gravel_step4 >= length) call gravel_wait(gravel_request_2, received)
  do gravel_lo4 = 1, length, gravel_step4
     gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, length - gravel_lo4)
     if (gravel_step4 < length) call gravel_wait_range(gravel_request_2, received, 0, gravel_hi4)
     do i = gravel_lo4, gravel_hi4
       new(i) = 0.5d0 * (old(i) + received(i))
     end do
  end do
  if (gravel_step4 < length) call gravel_wait(gravel_request_2, received)
  ! gravel: the wait moved here, was line 3 of exchange.inc: call mpi_send(old, length, mpi_double_precisio...
  call gravel_wait(gravel_s2, old)
! gravel: the text of exchange.inc ends
  do i = 1, length
    old(i) = new(i)
  end do
  include 'checksum.inc'

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print *, checksums(1:ranks)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program included_statements
