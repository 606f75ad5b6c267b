! The message is a two-dimensional array that a nest of two loops fills in the order in which it
! lies in memory.
program pack_nest_array
  use mpi
  use gravel
  implicit none

  integer, parameter :: ny = 200, nz = 160
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(ny, nz), rbuf(ny, nz), f(ny, nz)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do k = 1, nz
    do j = 1, ny
      f(j, k) = dble(rank + 1) + dble(j) / dble(ny) + dble(k)
    end do
  end do

  do step = 1, 3
    ! gravel: posted here, was line 27: call mpi_irecv(rbuf, ny*nz, mpi_double_precision, prev, 9, mpi_comm...
    call gravel_post_rcv_segments(rbuf, ny*nz, mpi_double_precision, prev, 9, mpi_comm_world, request, ierr)
    ! gravel: one handshake, a put per tile, was line 33: call mpi_send(sbuf, ny*nz, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(sbuf, ny*nz, mpi_double_precision, next, 9, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, nz, 1)
    do gravel_lo1 = 1, nz, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, nz - gravel_lo1)
       do k = gravel_lo1, gravel_hi1
         do j = 1, ny
           sbuf(j, k) = f(j, k) * 0.5d0 + dble(step)
         end do
       end do
       call gravel_post_os_put(gravel_t1, sbuf, (gravel_lo1 - 1)*200, (gravel_hi1 - gravel_lo1 + 1)*200)
    end do
    ! gravel: sent tile by tile above, was line 33: call mpi_send(sbuf, ny*nz, mpi_double_precision, next, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 34: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 34: call mpi_wait(request, status, ierr)
    gravel_step2 = gravel_tile(request, nz, 1)
    if (gravel_step2 >= nz) call gravel_wait(request, rbuf, status)
    do gravel_lo2 = 1, nz, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, nz - gravel_lo2)
       if (gravel_step2 < nz) call gravel_wait_range(request, rbuf, 0, 200*gravel_hi2)
       do k = gravel_lo2, gravel_hi2
         do j = 1, ny
           f(j, k) = f(j, k) + 0.125d0 * rbuf(j, k)
         end do
       end do
    end do
    if (gravel_step2 < nz) call gravel_wait(request, rbuf, status)
    ! gravel: the wait moved here, was line 33: call mpi_send(sbuf, ny*nz, mpi_double_precision, next, 9, m...
    call gravel_wait(gravel_s1, sbuf)
  end do

  checksum = 0.0d0
  do k = 1, nz
    do j = 1, ny
      checksum = checksum + f(j, k) * dble(j + 3*k)
    end do
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
end program pack_nest_array
