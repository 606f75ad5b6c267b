! Messages of integers, single precision numbers and complex numbers.
program other_types
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: counts_out(n), counts_in(n)
  real :: single_out(n), single_in(n)
  complex(kind(1.0d0)) :: waves_out(n), waves_in(n)
  integer :: counts_request, single_request, waves_request
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1, gravel_s2, gravel_s3
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2, gravel_t3
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_hi1, gravel_hi2, gravel_hi3, gravel_step1, &
       gravel_step2, gravel_step3

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  ! gravel: posted here, was line 22: call mpi_irecv(counts_in, n, mpi_integer, prev, 71, mpi_comm_world, c...
  call gravel_post_rcv_buffer_rdma(counts_in, n, mpi_integer, prev, 71, mpi_comm_world, counts_request, ierr)
  ! gravel: posted here, was line 23: call mpi_irecv(single_in, n, mpi_real, prev, 72, mpi_comm_world, sing...
  call gravel_post_rcv_buffer_rdma(single_in, n, mpi_real, prev, 72, mpi_comm_world, single_request, ierr)
  ! gravel: posted here, was line 24: call mpi_irecv(waves_in, n, mpi_double_complex, prev, 73, mpi_comm_wo...
  call gravel_post_rcv_buffer_rdma(waves_in, n, mpi_double_complex, prev, 73, mpi_comm_world, waves_request, &
       ierr)
  ! gravel: one handshake, a put per tile, was line 28: call mpi_send(counts_out, n, mpi_integer, next, 71,...
  call gravel_wait_rcv_buffer(counts_out, n, mpi_integer, next, 71, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       counts_out(i) = mod(i * (rank + 3), 1009)
     end do
     call gravel_post_os_put(gravel_t1, counts_out, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 28: call mpi_send(counts_out, n, mpi_integer, next, 71, mpi_c...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  ! gravel: one handshake, a put per tile, was line 32: call mpi_send(single_out, n, mpi_real, next, 72, mp...
  call gravel_wait_rcv_buffer(single_out, n, mpi_real, next, 72, mpi_comm_world, gravel_t2)
  gravel_step2 = gravel_tile(gravel_t2, n)
  do gravel_lo2 = 1, n, gravel_step2
     gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
     do i = gravel_lo2, gravel_hi2
       single_out(i) = real(counts_out(i)) * 0.5
     end do
     call gravel_post_os_put(gravel_t2, single_out, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
  end do
  ! gravel: sent tile by tile above, was line 32: call mpi_send(single_out, n, mpi_real, next, 72, mpi_comm...
  call gravel_send_fin(gravel_t2, gravel_s2, ierr)
  ! gravel: one handshake, a put per tile, was line 36: call mpi_send(waves_out, n, mpi_double_complex, nex...
  call gravel_wait_rcv_buffer(waves_out, n, mpi_double_complex, next, 73, mpi_comm_world, gravel_t3)
  gravel_step3 = gravel_tile(gravel_t3, n)
  do gravel_lo3 = 1, n, gravel_step3
     gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
     do i = gravel_lo3, gravel_hi3
       waves_out(i) = cmplx(dble(counts_out(i)), dble(single_out(i)), kind(1.0d0))
     end do
     call gravel_post_os_put(gravel_t3, waves_out, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
  end do
  ! gravel: sent tile by tile above, was line 36: call mpi_send(waves_out, n, mpi_double_complex, next, 73,...
  call gravel_send_fin(gravel_t3, gravel_s3, ierr)
  ! gravel: moved away from here, was line 37: call mpi_wait(counts_request, status, ierr)
  ierr = 0
  ! gravel: moved away from here, was line 38: call mpi_wait(single_request, status, ierr)
  ierr = 0
  ! gravel: waits here, was line 39: call mpi_wait(waves_request, status, ierr)
  call gravel_wait(waves_request, waves_in, status, ierr)
  ! gravel: the wait moved here, was line 37: call mpi_wait(counts_request, status, ierr)
  call gravel_wait(counts_request, counts_in, status)
  ! gravel: the wait moved here, was line 38: call mpi_wait(single_request, status, ierr)
  call gravel_wait(single_request, single_in, status)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(counts_in(i) * mod(i, 6)) - dble(single_in(i)) &
               + dble(waves_in(i)) * 0.5d0 + aimag(waves_in(i)) * dble(mod(i, 11))
  end do
  ! gravel: the wait moved here, was line 28: call mpi_send(counts_out, n, mpi_integer, next, 71, mpi_comm_...
  call gravel_wait(gravel_s1, counts_out)
  ! gravel: the wait moved here, was line 32: call mpi_send(single_out, n, mpi_real, next, 72, mpi_comm_wor...
  call gravel_wait(gravel_s2, single_out)
  ! gravel: the wait moved here, was line 36: call mpi_send(waves_out, n, mpi_double_complex, next, 73, mpi...
  call gravel_wait(gravel_s3, waves_out)

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
end program other_types
