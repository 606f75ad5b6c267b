! The message is a two-dimensional array that a nest of two loops fills in the order in which it
! lies in memory.
program pack_nest_array
  use mpi
  implicit none

  integer, parameter :: ny = 200, nz = 160
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(ny, nz), rbuf(ny, nz), f(ny, nz)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
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
    call mpi_irecv(rbuf, ny*nz, mpi_double_precision, prev, 9, mpi_comm_world, request, ierr)
    do k = 1, nz
      do j = 1, ny
        sbuf(j, k) = f(j, k) * 0.5d0 + dble(step)
      end do
    end do
    call mpi_send(sbuf, ny*nz, mpi_double_precision, next, 9, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do k = 1, nz
      do j = 1, ny
        f(j, k) = f(j, k) + 0.125d0 * rbuf(j, k)
      end do
    end do
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
  call mpi_finalize(ierr)
end program pack_nest_array
