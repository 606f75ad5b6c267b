! Exchanges within rows and within columns of processes: neither can meet the other, and each has its own class. The
! exchange in place that keeps the third class with MPI does not disturb them.
program alltoall_communicators
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 12000
  integer :: ierr, rank, ranks, i, step, row, column, other, rows, columns
  double precision :: sbuf(n*max_ranks), rbuf(n*max_ranks), field(n*max_ranks), few(max_ranks)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_hi1, gravel_hi2, gravel_hi3, gravel_hi4, &
       gravel_step1, gravel_step2, gravel_step3, gravel_step4

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  call mpi_comm_split(mpi_comm_world, rank / 2, rank, row, ierr)
  ! gravel: the runtime is attached to the new communicator
  call gravel_attach(row)
  call mpi_comm_split(row, 0, rank, column, ierr)
  ! gravel: the runtime is attached to the new communicator
  call gravel_attach(column)
  call mpi_comm_dup(mpi_comm_world, other, ierr)
  call mpi_comm_size(row, rows, ierr)
  call mpi_comm_size(column, columns, ierr)
  few = dble(rank)
  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) * dble(mod(i, 11))
    rbuf(i) = 0.0d0
  end do
  do step = 1, 2
    ! gravel: posted early, was line 31: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_doub...
    call gravel_post_alltoall_segments(rbuf, n, mpi_double_precision, row, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 31: call mpi_alltoall(sbuf, n, mpi_double_precision, ...
    call gravel_open_alltoall(sbuf, n, mpi_double_precision, row, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n*rows)
    do gravel_lo1 = 1, n*rows, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, (n*rows) - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.25d0
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 31: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here for what each tile reads, was line 31: call mpi_alltoall(sbuf, n, mpi_double_preci...
    gravel_step2 = gravel_tile(gravel_r1, n*rows)
    if (gravel_step2 >= n*rows) call gravel_wait(gravel_r1, rbuf)
    do gravel_lo2 = 1, n*rows, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, (n*rows) - gravel_lo2)
       if (gravel_step2 < n*rows) call gravel_wait_range(gravel_r1, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = rbuf(i) + dble(step)
       end do
    end do
    if (gravel_step2 < n*rows) call gravel_wait(gravel_r1, rbuf)
    ! gravel: the wait moved here, was line 31: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, m...
    call gravel_wait(gravel_s1, sbuf)
    ! gravel: posted early, was line 38: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_doub...
    call gravel_post_alltoall_segments(rbuf, n, mpi_double_precision, column, gravel_r2)
    ! gravel: one handshake, a put per tile, was line 38: call mpi_alltoall(sbuf, n, mpi_double_precision, ...
    call gravel_open_alltoall(sbuf, n, mpi_double_precision, column, gravel_t2)
    gravel_step3 = gravel_tile(gravel_t2, n*columns)
    do gravel_lo3 = 1, n*columns, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, (n*columns) - gravel_lo3)
       do i = gravel_lo3, gravel_hi3
         sbuf(i) = field(i) * 0.75d0
       end do
       call gravel_post_os_put(gravel_t2, sbuf, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
    end do
    ! gravel: sent tile by tile above, was line 38: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, ...
    call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    ! gravel: waits here for what each tile reads, was line 38: call mpi_alltoall(sbuf, n, mpi_double_preci...
    gravel_step4 = gravel_tile(gravel_r2, n*columns)
    if (gravel_step4 >= n*columns) call gravel_wait(gravel_r2, rbuf)
    do gravel_lo4 = 1, n*columns, gravel_step4
       gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, (n*columns) - gravel_lo4)
       if (gravel_step4 < n*columns) call gravel_wait_range(gravel_r2, rbuf, 0, gravel_hi4)
       do i = gravel_lo4, gravel_hi4
         field(i) = rbuf(i) - dble(step)
       end do
    end do
    if (gravel_step4 < n*columns) call gravel_wait(gravel_r2, rbuf)
    ! gravel: the wait moved here, was line 38: call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, m...
    call gravel_wait(gravel_s2, sbuf)
    call mpi_alltoall(mpi_in_place, 0, mpi_datatype_null, few, 1, mpi_double_precision, other, ierr)
    field(1) = field(1) + few(1)
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
end program alltoall_communicators
