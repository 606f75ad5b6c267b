! Two planes of points at a face travel in one message: the second plane lies behind the first one in the vector, and one
! nest packs both.
program planes_side_by_side
  use mpi
  use gravel
  implicit none

  integer, parameter :: components = 2, nx = 5, largest = 200
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, m, ny, nz, step
  integer :: status(mpi_status_size)
  double precision :: u(components, -1:nx, largest, largest)
  double precision :: packed(components, 2*largest*largest), unpacked(components, 2*largest*largest)
  integer :: first_plane, second_plane
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
  ny = 130 + ranks
  nz = 190 - ranks

  do k = 1, nz
    do j = 1, ny
      do i = -1, nx
        do m = 1, components
          u(m, i, j, k) = dble(rank + m) + dble(i)*0.5d0 - dble(j)*0.25d0 + dble(k)
        end do
      end do
    end do
  end do

  do step = 1, 3
    ! gravel: posted here, was line 35: call mpi_irecv(unpacked, 2*components*ny*nz, mpi_double_precision, ...
    call gravel_post_rcv_buffer_rdma(unpacked, 2*components*ny*nz, mpi_double_precision, prev, 5, &
         mpi_comm_world, request, ierr)
    ! gravel: one handshake, a put per tile, was line 46: call mpi_send(packed, 2*components*ny*nz, mpi_dou...
    call gravel_wait_rcv_buffer(packed, 2*components*ny*nz, mpi_double_precision, next, 5, mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, nz)
    do gravel_lo1 = 1, nz, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, nz - gravel_lo1)
       do k = gravel_lo1, gravel_hi1
         do j = 1, ny
           first_plane = (k - 1)*ny + j
           second_plane = first_plane + ny*nz
           do m = 1, components
             packed(m, first_plane) = u(m, nx - 1, j, k)
             packed(m, second_plane) = u(m, nx, j, k)
           end do
         end do
       end do
       call gravel_post_os_put(gravel_t1, packed, (gravel_lo1 - 1)*2*ny, (gravel_hi1 - gravel_lo1 + 1)*2*ny)
       call gravel_post_os_put(gravel_t1, packed, 2*ny*nz + (gravel_lo1 - 1)*2*ny, &
            (gravel_hi1 - gravel_lo1 + 1)*2*ny)
    end do
    ! gravel: sent tile by tile above, was line 46: call mpi_send(packed, 2*components*ny*nz, mpi_double_pr...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here, was line 47: call mpi_wait(request, status, ierr)
    call gravel_wait(request, unpacked, status, ierr)
    do k = 1, nz
      do j = 1, ny
        first_plane = (k - 1)*ny + j
        second_plane = first_plane + ny*nz
        do m = 1, components
          u(m, -1, j, k) = unpacked(m, first_plane)
          u(m, 0, j, k) = unpacked(m, second_plane)
        end do
      end do
    end do
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          do m = 1, components
            u(m, i, j, k) = 0.25d0*(2.0d0*u(m, i, j, k) + u(m, i - 1, j, k) + u(m, i - 2, j, k))
          end do
        end do
      end do
    end do
    ! gravel: the wait moved here, was line 46: call mpi_send(packed, 2*components*ny*nz, mpi_double_precis...
    call gravel_wait(gravel_s1, packed)
  end do

  checksum = 0.0d0
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        do m = 1, components
          checksum = checksum + u(m, i, j, k)*dble(i + 2*j + 3*k + m)
        end do
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
end program planes_side_by_side
