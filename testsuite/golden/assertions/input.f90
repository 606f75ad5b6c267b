! What the author knows and nobody can prove: the sum of these squares is exact, so that its order does not matter, and
! the pointers never lead to what is received.
program assertions
  use mpi
  implicit none

  integer, parameter :: nx = 120, ny = 90
  integer :: i, j, step
  integer :: requests(4)
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1), residual
  double precision, target :: halo(nx), inner(nx), other(nx)
  double precision, pointer :: work(:)
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
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.5d0
    end do
  end do
  v = 0.0d0
  residual = 0.0d0
  inner = 1.0d0
  other = 2.0d0
  work => inner
  if (ranks > 5) work => other
  do step = 1, 3
    call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)
    call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    !$gravel independent(residual)
    do j = 1, ny
      do i = 1, nx
        v(i, j) = 2.0d0 * (u(i, j-1) - u(i, j+1))
        residual = residual + (v(i, j) - u(i, j))**2
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        u(i, j) = mod(abs(v(i, j)), 64.0d0)
      end do
    end do
    call mpi_sendrecv(u(1, 1), nx, mpi_double_precision, prev, 3, halo, nx, mpi_double_precision, next, 3, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    !$gravel no-alias(work)
    do i = 1, nx
      work(i) = work(i) + dble(mod(i, 5))
    end do
    do i = 1, nx
      u(i, ny) = halo(i)
    end do
  end do
  results = [residual, sum(inner) + sum(u(1:nx, ny))]
  call mpi_gather(results, 2, mpi_double_precision, all_results, 2, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,2es24.16)') 'rank ', i - 1, all_results(:, i)
    end do
  end if
  call mpi_finalize(ierr)
end program assertions
