! The send buffer has a dimension for the processes; the call names its first element. Two more calls have no loop that
! fills them, and one of them is made under a condition.
program alltoall_blocks
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 8000
  integer :: ierr, rank, ranks, i, p, step
  integer :: counts(max_ranks), others(max_ranks)
  double precision :: sbuf(n, 0:max_ranks - 1), rbuf(n, 0:max_ranks - 1), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  sbuf = 0.0d0
  rbuf = 0.0d0
  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 13))
  end do
  do step = 1, 3
    ! gravel: null where the branch below is not taken
    gravel_r2 = gravel_request_null
    ! gravel: posted early, was line 29: call mpi_alltoall(sbuf(1, 0), n, mpi_double_precision, rbuf(1, 0),...
    call gravel_post_alltoall(rbuf(1, 0), n, mpi_double_precision, mpi_comm_world, gravel_r1)
    ! gravel: posted early, was line 32: call mpi_alltoall(counts, 1, mpi_integer, others, 1, mpi_integer, ...
    if (step > 1) call gravel_post_alltoall(others, 1, mpi_integer, mpi_comm_world, gravel_r2)
    ! gravel: one handshake, a put per tile, was line 29: call mpi_alltoall(sbuf(1, 0), n, mpi_double_preci...
    call gravel_open_alltoall(sbuf(1, 0), n, mpi_double_precision, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, (ranks - 1) - 0 + 1, 1)
    do gravel_lo1 = 0, ranks - 1, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, (ranks - 1) - gravel_lo1)
       do p = gravel_lo1, gravel_hi1
         do i = 1, n
           sbuf(i, p) = field(i) + dble(p*step)
         end do
       end do
       call gravel_post_os_put(gravel_t1, sbuf(1, 0), int(gravel_lo1 - 0, gravel_offset_kind)*8000, &
            int(gravel_hi1 - gravel_lo1 + 1, gravel_offset_kind)*8000)
    end do
    ! gravel: sent tile by tile above, was line 29: call mpi_alltoall(sbuf(1, 0), n, mpi_double_precision, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    counts = step + rank
    ! gravel: null where the branch below is not taken
    gravel_s2 = gravel_request_null
    if (step > 1) then
      ! gravel: sent without waiting, was line 32: call mpi_alltoall(counts, 1, mpi_integer, others, 1, mpi...
      call gravel_send_alltoall(counts, 1, mpi_integer, mpi_comm_world, gravel_s2, ierr)
    end if
    do i = 1, n
      field(i) = field(i) * 0.5d0
    end do
    ! gravel: the wait moved here, was line 29: call mpi_alltoall(sbuf(1, 0), n, mpi_double_precision, rbuf...
    call gravel_wait(gravel_r1, rbuf)
    do p = 0, ranks - 1
      do i = 1, n
        field(i) = field(i) + rbuf(i, p)
      end do
    end do
    ! gravel: the wait moved here, was line 29: call mpi_alltoall(sbuf(1, 0), n, mpi_double_precision, rbuf...
    call gravel_wait(gravel_s1, sbuf)
    ! gravel: the wait moved here, was line 32: call mpi_alltoall(counts, 1, mpi_integer, others, 1, mpi_in...
    call gravel_wait(gravel_r2, others)
    call gravel_wait(gravel_s2, counts)
  end do
  counts = others
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
end program alltoall_blocks
