! Sweeps of one, two and three columns, in a procedure that is told how many.
! expect: handled
program split_few_iterations
  use mpi
  implicit none

  integer, parameter :: nx = 100
  integer :: i, columns
  double precision :: u(0:nx+1, 0:4)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do columns = 1, 3
    do i = 0, nx + 1
      u(i, :) = dble(rank + 1) + dble(mod(i * 3 + columns, 31)) * 0.125d0
    end do
    call sweep(nx, columns, u, next, prev, checksum)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine sweep(nx, ny, u, next, prev, checksum)
    integer, intent(in) :: nx, ny, next, prev
    double precision, intent(inout) :: u(0:nx+1, 0:ny+1), checksum
    double precision :: v(0:nx+1, 0:ny+1)
    integer :: requests(4), i, j, step, ierr

    v = 0.0d0
    do step = 1, 3
      call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
      call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr) ! trapped
      call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
      call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
      call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
      do j = 1, ny
        do i = 1, nx
          v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
        end do
      end do
      checksum = checksum + dble(j)
      do j = 1, ny
        do i = 1, nx
          u(i, j) = v(i, j)
        end do
      end do
    end do
    do i = 1, nx
      checksum = checksum + sum(u(i, 1:ny)) * dble(mod(i, 13))
    end do
  end subroutine sweep
end program split_few_iterations
