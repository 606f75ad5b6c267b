! Parts of the world communicator, with mpif.h, a one-line IF around the call that makes them, and a tag in a
! variable of the main program.
program split_mpif_h
  use gravel
  implicit none

  include 'mpif.h'
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: part, part_rank, part_size, tag
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  tag = 6
  ! gravel: the runtime is attached to the new communicator
  if (ranks >= 1) then
     call mpi_comm_split(mpi_comm_world, mod(rank, 2), rank, part, ierr)
     call gravel_attach(part)
  end if
  call mpi_comm_rank(part, part_rank, ierr)
  call mpi_comm_size(part, part_size, ierr)
  next = mod(part_rank + 1, part_size)
  prev = mod(part_rank - 1 + part_size, part_size)
  ! gravel: posted here, was line 28: call mpi_irecv(rbuf, n, mpi_double_precision, prev, tag, part, reques...
  call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, tag, part, request, ierr)
  ! gravel: one handshake, a put per tile, was line 32: call mpi_send(sbuf, n, mpi_double_precision, next, ...
  call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, tag, part, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
     end do
     call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 32: call mpi_send(sbuf, n, mpi_double_precision, next, tag, p...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  ! gravel: waits here, was line 33: call mpi_wait(request, status, ierr)
  call gravel_wait(request, rbuf, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  ! gravel: the wait moved here, was line 32: call mpi_send(sbuf, n, mpi_double_precision, next, tag, part,...
  call gravel_wait(gravel_s1, sbuf)

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
end program split_mpif_h
