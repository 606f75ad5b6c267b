! The bounds of loops that are cut into tiles, or split, go on on the next line.
program bounds_over_lines
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 120, ny = 90, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, requests(2)
  double precision :: u(nx, 0:ny), v(nx, ny), checksum, checksums(max_ranks)
  integer :: gravel_lo1, gravel_hi1, gravel_part1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  ! gravel: posted early, was line 25: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_...
  call gravel_post_rcv_buffer_rdma(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1))
  do j = 1, ny
    do i = 1, nx
      u(i, j) = rank + 0.25d0 * mod(i * j, 17)
    end do
  end do
  ! gravel: sent from where it lies, was line 23: edge(i) = u(i, ny)
  ! gravel: moved away from here, was line 25: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, m...
  ierr = 0
  ! gravel: sent without waiting, was line 26: call mpi_isend(edge, nx, mpi_double_precision, next, 1, mpi_...
  call gravel_post_send(u(1:nx - 0, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
  ! gravel: moved away from here, was line 27: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  ierr = 0
  ! gravel: the iterations inside, then the wait, then the first and the last iteration
  gravel_lo1 = (1 + 0) + 1
  gravel_hi1 = (ny - 0) - 1
  do gravel_part1 = 1, 3
     if (gravel_part1 == 2) then
        ! gravel: waits here, before the first and the last iteration, was line 27: call mpi_waitall(2, req...
        call gravel_wait(requests(1), u)
        gravel_lo1 = 1 + 0
        gravel_hi1 = min(1 + 0, ny - 0)
     else if (gravel_part1 == 3) then
        gravel_lo1 = max((1 + 0) + 1, ny - 0)
        gravel_hi1 = ny - 0
     end if
     do j = gravel_lo1, &
          gravel_hi1
       do i = 1, nx
         v(i, j) = u(i, j) - 0.5d0 * &
                   u(i, j - 1)
       end do
     end do
  end do
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + v(i, j) * mod(i + j, 11)
    end do
  end do
  ! gravel: the wait moved here, was line 27: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  call gravel_wait(requests(2), u)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program bounds_over_lines
