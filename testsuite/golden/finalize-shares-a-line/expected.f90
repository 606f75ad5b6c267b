! Nothing can be written in front of MPI_Finalize, which ends the runtime by itself.
program finalize_shares_a_line
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, request, i
  double precision :: a(n), b(n), c(n), checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  if (ranks > max_ranks) then; call mpi_finalize(ierr); stop; end if
  ! gravel: posted here, was line 15: call mpi_irecv(b, n, mpi_double_precision, mod(rank + ranks - 1, rank...
  call gravel_post_rcv_buffer_rdma(b, n, mpi_double_precision, mod(rank + ranks - 1, ranks), 1, &
       mpi_comm_world, request, ierr)
  ! gravel: one handshake, a put per tile, was line 19: call mpi_send(a, n, mpi_double_precision, mod(rank ...
  call gravel_wait_rcv_buffer(a, n, mpi_double_precision, mod(rank + 1, ranks), 1, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       a(i) = i + rank
     end do
     call gravel_post_os_put(gravel_t1, a, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 19: call mpi_send(a, n, mpi_double_precision, mod(rank + 1, r...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  do i = 1, n
    c(i) = 0.25d0 * i
  end do
  ! gravel: waits here, was line 23: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(request, b, ierr)
  checksum = 0
  do i = 1, n
    checksum = checksum + b(i) * c(i)
  end do
  ! gravel: the wait moved here, was line 19: call mpi_send(a, n, mpi_double_precision, mod(rank + 1, ranks...
  call gravel_wait(gravel_s1, a)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr); stop
end program
