! A loop around a long one, whose iterations store elements side by side: gfortran -O3 computes several of them at once, and
! those that are left over apart. Its tiles must be whole vectors.
! tiles: unset 64 all
program outer_loop_vectorised
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20011, m = 70
  integer :: i, j
  integer :: status(mpi_status_size)
  double precision, save :: sbuf(n), rbuf(n), a(n, m)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  ! gravel: posted early, was line 32: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 5, rbuf, n, m...
  call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 5, mpi_comm_world, gravel_r1)
  do i = 1, m
    do j = 1, n
      a(j, i) = 0.001d0 * j + 0.37d0 * i + rank
    end do
  end do
  ! gravel: one handshake, a put per tile, was line 32: call mpi_sendrecv(sbuf, n, mpi_double_precision, ne...
  call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do j = gravel_lo1, gravel_hi1
       do i = 1, m
         sbuf(j) = sqrt(a(j, i))
       end do
     end do
     call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 32: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 5,...
  call gravel_send_fin(gravel_t1, gravel_s1)
  call gravel_wait(gravel_r1, rbuf, status, ierr)

  checksum = 0.0d0
  do j = 1, n
    checksum = checksum + rbuf(j) * dble(mod(j, 97))
  end do
  ! gravel: the wait moved here, was line 32: call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 5, rbu...
  call gravel_wait(gravel_s1, sbuf)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      print '(a, i0, a, es24.16)', 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program outer_loop_vectorised
