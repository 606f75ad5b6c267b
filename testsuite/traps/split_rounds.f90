! A sum of reals rounds, and of zeros with different signs the largest is the one that came first: a sweep that
! accumulates so is not computed in two parts. Of the first, another order gives other last digits; of the second
! the sign shows.
! expect: without split-loop
program split_rounds
  use mpi
  implicit none

  integer, parameter :: nx = 120, ny = 90
  integer :: i, j, step
  integer :: requests(4)
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1), residual, highest
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: results(2), all_results(2, max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = 1.0d0 / dble(rank + 3*i + 7*j + 1)
    end do
  end do
  v = 0.0d0
  residual = 0.0d0
  do step = 1, 3
    highest = -1.0d0
    call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)
    call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)  ! trapped
    do j = 1, ny
      do i = 1, nx
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
        residual = residual + (v(i, j) - u(i, j))**2
      end do
    end do
    call mpi_irecv(v(1, 0), nx, mpi_double_precision, prev, 3, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(v(1, ny + 1), nx, mpi_double_precision, next, 4, mpi_comm_world, requests(2), ierr)
    call mpi_isend(v(1, ny), nx, mpi_double_precision, next, 3, mpi_comm_world, requests(3), ierr)
    call mpi_isend(v(1, 1), nx, mpi_double_precision, prev, 4, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)  ! trapped
    do j = 1, ny
      do i = 1, nx
        u(i, j) = sign(0.0d0, dble(j) - 1.5d0) * max(v(i, j - 1), v(i, j + 1))
        if (u(i, j) > highest) highest = u(i, j)
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  results = [residual, sign(1.0d0, highest)]
  call mpi_gather(results, 2, mpi_double_precision, all_results, 2, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,2es24.16)') 'rank ', i - 1, all_results(:, i)
    end do
  end if
  call mpi_finalize(ierr)
end program split_rounds
