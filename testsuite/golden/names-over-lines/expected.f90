! Names and numbers that go on on the next line, as programs that write programs make them: in calls of MPI, in the loops that fill
! and read their messages, with comments between their parts.
program names_over_lines
  use mpi
  use gravel
  implicit none

  integer, parameter :: elements = 20000, max_ranks = 16
  integer :: ierr, rank, ranks, requ&
    &est, i, left, right
  double precision :: outgoing(elements), incoming(elements), inner(elements), checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank + ranks - 1, ranks); right = mod(rank + 1, ranks)
  ! gravel: posted here, was line 16: call mpi_irecv(incoming, elements, mpi_double_precision, left, 1, mpi...
  call gravel_post_rcv_buffer_rdma(incoming, elements, mpi_double_precision, left, 1, mpi_comm_world, request, &
       ierr)
  ! gravel: one handshake, a put per tile, was line 26: call mpi_send(outgoing, elements, mpi_double_precis...
  call gravel_wait_rcv_buffer(outgoing, elements, mpi_double_precision, right, 1, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, elements)
  do gravel_lo1 = 1, elements, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, elements - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       outgoing(i) = rank + 0.2&
         &5d0 * mod(i, 1&
         &7)
     end do
     call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 26: call mpi_send(outgoing, elements, mpi_double_precision, r...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  do i = 1, elements
    inner(i) = 0.5d0 * i
  end do
  ! gravel: waits here, was line 31: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(request, incoming, ierr)
  checksum = 0.0d0
  do i = 1, elements
    checksum = checksum + incoming(i) + inner(i)
  end do
  ! gravel: the wait moved here, was line 26: call mpi_send(outgoing, elements, mpi_double_precision, right...
  call gravel_wait(gravel_s1, outgoing)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program names_over_lines
