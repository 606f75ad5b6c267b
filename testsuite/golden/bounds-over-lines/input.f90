! The bounds of loops that are cut into tiles, or split, go on on the next line.
program bounds_over_lines
  use mpi
  implicit none

  integer, parameter :: nx = 120, ny = 90, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, requests(2)
  double precision :: u(nx, 0:ny), v(nx, ny), edge(nx), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do j = 1, ny
    do i = 1, nx
      u(i, j) = rank + 0.25d0 * mod(i * j, 17)
    end do
  end do
  do i = 1, & ! all
       nx - &
       0
    edge(i) = u(i, ny)
  end do
  call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
  call mpi_isend(edge, nx, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  do j = 1 &
       + 0, &
       ny &
       - 0
    do i = 1, nx
      v(i, j) = u(i, j) - 0.5d0 * &
                u(i, j - 1)
    end do
  end do
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + v(i, j) * mod(i + j, 11)
    end do
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program bounds_over_lines
