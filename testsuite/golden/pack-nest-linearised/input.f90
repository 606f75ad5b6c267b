! A face of a three-dimensional array is packed by a nest of two loops into a vector.
program pack_nest_linearised
  use mpi
  implicit none

  integer, parameter :: nx = 6, ny = 150, nz = 130
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  integer :: status(mpi_status_size)
  double precision :: u(nx, ny, nz), out_buffer(ny*nz), in_buffer(ny*nz)
  integer :: ipos
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
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
    call mpi_irecv(in_buffer, ny*nz, mpi_double_precision, prev, 17, mpi_comm_world, request, ierr)
    do k = 1, nz
      do j = 1, ny
        ipos = (k - 1)*ny + j
        out_buffer(ipos) = u(nx - 1, j, k)
      end do
    end do
    call mpi_send(out_buffer, ny*nz, mpi_double_precision, next, 17, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do k = 1, nz
      do j = 1, ny
        u(1, j, k) = in_buffer((k - 1)*ny + j)
      end do
    end do
    do k = 1, nz
      do j = 1, ny
        do i = 2, nx
          u(i, j, k) = 0.5d0 * (u(i, j, k) + u(i - 1, j, k))
        end do
      end do
    end do
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
  call mpi_finalize(ierr)
end program pack_nest_linearised
