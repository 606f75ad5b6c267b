! Two planes of points at a face travel in one message: the second plane lies behind the first one in the vector, and one
! nest packs both.
program planes_side_by_side
  use mpi
  implicit none

  integer, parameter :: components = 2, nx = 5, largest = 200
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, m, ny, nz, step
  integer :: status(mpi_status_size)
  double precision :: u(components, -1:nx, largest, largest)
  double precision :: packed(components, 2*largest*largest), unpacked(components, 2*largest*largest)
  integer :: first_plane, second_plane
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
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
    call mpi_irecv(unpacked, 2*components*ny*nz, mpi_double_precision, prev, 5, mpi_comm_world, request, ierr)
    do k = 1, nz
      do j = 1, ny
        first_plane = (k - 1)*ny + j
        second_plane = first_plane + ny*nz
        do m = 1, components
          packed(m, first_plane) = u(m, nx - 1, j, k)
          packed(m, second_plane) = u(m, nx, j, k)
        end do
      end do
    end do
    call mpi_send(packed, 2*components*ny*nz, mpi_double_precision, next, 5, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
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
  call mpi_finalize(ierr)
end program planes_side_by_side
