! A face of a three-dimensional array is packed by a nest of two loops into a vector.
program pack_nest_linearised
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 6, ny = 150, nz = 130
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  integer :: status(mpi_status_size)
  double precision :: u(nx, ny, nz), out_buffer(ny*nz), in_buffer(ny*nz)
  integer :: ipos
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
      do i = 1, nx
        u(i, j, k) = dble(rank + 1) + dble(i) * 0.5d0 - dble(j) * 0.25d0 + dble(k)
      end do
    end do
  end do

  do step = 1, 4
    ! gravel: posted here, was line 29: call mpi_irecv(in_buffer, ny*nz, mpi_double_precision, prev, 17, mp...
    call gravel_post_rcv_segments(in_buffer, ny*nz, mpi_double_precision, prev, 17, mpi_comm_world, request, &
         ierr)
    ! gravel: one handshake, a put per tile, was line 36: call mpi_send(out_buffer, ny*nz, mpi_double_preci...
    call gravel_wait_rcv_buffer(out_buffer, ny*nz, mpi_double_precision, next, 17, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, nz)
    do gravel_lo1 = 1, nz, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, nz - gravel_lo1)
       do k = gravel_lo1, gravel_hi1
         do j = 1, ny
           ipos = (k - 1)*ny + j
           out_buffer(ipos) = u(nx - 1, j, k)
         end do
       end do
       call gravel_post_os_put(gravel_t1, out_buffer, (gravel_lo1 - 1)*150, (gravel_hi1 - gravel_lo1 + 1)*150)
    end do
    ! gravel: sent tile by tile above, was line 36: call mpi_send(out_buffer, ny*nz, mpi_double_precision, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 37: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 37: call mpi_wait(request, status, ierr)
    gravel_step2 = gravel_tile(request, nz, 1)
    if (gravel_step2 >= nz) call gravel_wait(request, in_buffer, status)
    do gravel_lo2 = 1, nz, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, nz - gravel_lo2)
       if (gravel_step2 < nz) call gravel_wait_range(request, in_buffer, 0, 150*gravel_hi2)
       do k = gravel_lo2, gravel_hi2
         do j = 1, ny
           u(1, j, k) = in_buffer((k - 1)*ny + j)
         end do
       end do
    end do
    if (gravel_step2 < nz) call gravel_wait(request, in_buffer, status)
    do k = 1, nz
      do j = 1, ny
        do i = 2, nx
          u(i, j, k) = 0.5d0 * (u(i, j, k) + u(i - 1, j, k))
        end do
      end do
    end do
    ! gravel: the wait moved here, was line 36: call mpi_send(out_buffer, ny*nz, mpi_double_precision, next...
    call gravel_wait(gravel_s1, out_buffer)
  end do

  checksum = 0.0d0
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        checksum = checksum + u(i, j, k) * dble(i + 2*j + 3*k)
      end do
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
end program pack_nest_linearised
