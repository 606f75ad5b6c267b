! The step of a distributed transform between two local ones: the block of each process is packed out of a plane of its
! own, and unpacked likewise. Extents are variables.
program alltoall_transpose
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: nx = 40, ny = 60, local = nx*ny*10
  integer :: ierr, rank, ranks, i, j, k, p, columns, planes, block, step
  double precision :: field(local*max_ranks), sbuf(local*max_ranks), rbuf(local*max_ranks), factor(nx)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  columns = nx*ny
  planes = 10
  block = columns*planes
  do i = 1, nx
    factor(i) = 1.0d0 / dble(i + 1)
  end do
  do i = 1, local*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 37)) * 0.5d0
  end do
  do step = 1, 2
    ! Local work along the first dimension, and the pack.
    ! gravel: posted early, was line 36: call mpi_alltoall(sbuf, block, mpi_double_precision, rbuf, block, ...
    call gravel_post_alltoall_segments(rbuf, block, mpi_double_precision, mpi_comm_world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 36: call mpi_alltoall(sbuf, block, mpi_double_precisi...
    call gravel_open_alltoall(sbuf, block, mpi_double_precision, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, (ranks - 1) - 0 + 1)
    do gravel_lo1 = 0, ranks - 1, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, (ranks - 1) - gravel_lo1)
       do p = gravel_lo1, gravel_hi1
         do k = 1, planes
           do j = 1, columns
             sbuf(p*planes*columns + (k - 1)*columns + j) = &
               field((k - 1)*columns*ranks + p*columns + j) * factor(mod(j, nx) + 1)
           end do
         end do
       end do
       call gravel_post_os_put(gravel_t1, sbuf, int(gravel_lo1 - 0, gravel_offset_kind)*columns*planes, &
            int(gravel_hi1 - gravel_lo1 + 1, gravel_offset_kind)*columns*planes)
    end do
    ! gravel: sent tile by tile above, was line 36: call mpi_alltoall(sbuf, block, mpi_double_precision, rb...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here for what each tile reads, was line 36: call mpi_alltoall(sbuf, block, mpi_double_p...
    gravel_step2 = gravel_tile(gravel_r1, (ranks - 1) - 0 + 1)
    if (gravel_step2 >= (ranks - 1) - 0 + 1) call gravel_wait(gravel_r1, rbuf)
    do gravel_lo2 = 0, ranks - 1, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, (ranks - 1) - gravel_lo2)
       if (gravel_step2 < (ranks - 1) - 0 + 1) call gravel_wait_range(gravel_r1, rbuf, 0_gravel_offset_kind, &
            columns*planes + int(gravel_hi2, gravel_offset_kind)*columns*planes)
       do p = gravel_lo2, gravel_hi2
         do k = 1, planes
           do j = 1, columns
             field(p*planes*columns + (k - 1)*columns + j) = rbuf(p*planes*columns + (k - 1)*columns + j) * 0.5d0 + 1.0d0
           end do
         end do
       end do
    end do
    if (gravel_step2 < (ranks - 1) - 0 + 1) call gravel_wait(gravel_r1, rbuf)
    ! gravel: the wait moved here, was line 36: call mpi_alltoall(sbuf, block, mpi_double_precision, rbuf, ...
    call gravel_wait(gravel_s1, sbuf)
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
end program alltoall_transpose
