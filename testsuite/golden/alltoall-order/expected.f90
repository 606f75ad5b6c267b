! Two exchanges on one communicator: the receives of both move above the work, in their order.
program alltoall_order
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, step
  double precision :: sbuf(n*max_ranks), rbuf(n*max_ranks), field(n*max_ranks)

  double precision :: rbuf2(n*max_ranks), work(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    sbuf(i) = 0.0d0
    rbuf(i) = 0.0d0
  end do

  work = dble(rank)
  rbuf2 = 0.0d0
  do step = 1, 3
    ! gravel: posted early, was line 33: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_doub...
    call gravel_post_alltoall_segments(rbuf, n, mpi_double_precision, mpi_comm_world, gravel_r1)
    ! gravel: posted early, was line 34: call mpi_alltoall(work, n/ranks, mpi_double_precision, rbuf2, n/ra...
    call gravel_post_alltoall(rbuf2, n/ranks, mpi_double_precision, mpi_comm_world, gravel_r2)
    do i = 1, n
      work(i) = work(i) * 0.5d0 + dble(mod(i, 5))
    end do
    ! gravel: one handshake, a put per tile, was line 33: call mpi_alltoall(sbuf, n, mpi_double_precision, ...
    call gravel_open_alltoall(sbuf, n, mpi_double_precision, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n*ranks)
    do gravel_lo1 = 1, n*ranks, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, (n*ranks) - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) + work(mod(i, n) + 1)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 33: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: sent without waiting, was line 34: call mpi_alltoall(work, n/ranks, mpi_double_precision, rbu...
    call gravel_send_alltoall(work, n/ranks, mpi_double_precision, mpi_comm_world, gravel_s2)
    call gravel_wait(gravel_r2, rbuf2, ierr)
    ! gravel: waits here for what each tile reads, was line 33: call mpi_alltoall(sbuf, n, mpi_double_preci...
    gravel_step2 = gravel_tile(gravel_r1, n*ranks)
    if (gravel_step2 >= n*ranks) call gravel_wait(gravel_r1, rbuf)
    do gravel_lo2 = 1, n*ranks, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, (n*ranks) - gravel_lo2)
       if (gravel_step2 < n*ranks) call gravel_wait_range(gravel_r1, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = rbuf(i) * 0.5d0 + rbuf2(mod(i, n) + 1)
       end do
    end do
    if (gravel_step2 < n*ranks) call gravel_wait(gravel_r1, rbuf)
    ! gravel: the wait moved here, was line 33: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, m...
    call gravel_wait(gravel_s1, sbuf)
    ! gravel: the wait moved here, was line 34: call mpi_alltoall(work, n/ranks, mpi_double_precision, rbuf...
    call gravel_wait(gravel_s2, work)
  end do
  checksum = 0.0d0
  do i = 1, size(field)
    checksum = checksum + field(i) * dble(mod(i, 9))
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
  call mpi_finalize(ierr)
end program alltoall_order
