! The neighbours lie side by side in the first dimension: what they exchange is a column of ghost cells, whose elements lie
! apart. The datatype says where, so that the interior is computed while the messages travel.
program halo_of_vectors
  use mpi
  implicit none

  integer, parameter :: nx = 90, ny = 120, steps = 4
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, left, right, i, j, step, column
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  call mpi_type_vector(ny, 1, nx + 2, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do step = 1, steps
    call mpi_sendrecv(u(1, 1), 1, column, left, 1, u(nx + 1, 1), 1, column, right, 1, mpi_comm_world, &
                      mpi_status_ignore, ierr)
    call mpi_sendrecv(u(nx, 1), 1, column, right, 2, u(0, 1), 1, column, left, 2, mpi_comm_world, &
                      mpi_status_ignore, ierr)
    do j = 1, ny
      do i = 2, nx - 1
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    do j = 1, ny
      v(1, j) = 0.25d0 * (u(0, j) + u(2, j) + u(1, j-1) + u(1, j+1))
      v(nx, j) = 0.25d0 * (u(nx-1, j) + u(nx+1, j) + u(nx, j-1) + u(nx, j+1))
    end do
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  call mpi_type_free(column, ierr)
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
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
end program halo_of_vectors
