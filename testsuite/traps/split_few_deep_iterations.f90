! Sweeps that need two columns on either side, over one to six columns, in a procedure that is told how many: where there are
! few, each column needs both messages.
! expect: handled
! ranks: 2 3
program split_few_deep_iterations
  use mpi
  implicit none

  integer, parameter :: nx = 100
  double precision :: u(nx * 10), edges(nx, 4)
  integer :: i, columns
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do k = 1, 3
    do columns = 1, 6
      do i = 1, size(u)
        u(i) = dble(rank + 1) + dble(mod(i * 3 + columns, 31)) * 0.125d0
      end do
      edges = reshape(u, shape(edges)) + dble(k)
      if (rank == 1) call delay
      call sweep(columns, u)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do k = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', k - 1, ' checksum ', checksums(k)
    end do
  end if
  call mpi_finalize(ierr)

contains

  ! What comes from here comes late.
  subroutine delay
    integer :: times
    double precision :: x
    x = 1
    do times = 1, 300000
      x = sqrt(x + times)
    end do
    if (x < 0) print *, x
  end subroutine delay

  subroutine sweep(ny, u)
    integer, intent(in) :: ny
    double precision, intent(inout) :: u(nx, -1:ny+2)
    double precision :: v(nx, ny)
    integer :: requests(4), i, j, ierr

    call mpi_irecv(u(1, -1), 2*nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_irecv(u(1, ny + 1), 2*nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_isend(edges, 2*nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(edges(1, 3), 2*nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        v(i, j) = 0.25d0 * (u(i, j-2) + u(i, j+2)) + 0.5d0 * (u(i, j-1) + u(i, j+1))
      end do
    end do
    checksum = checksum + dble(j)
    do i = 1, nx
      checksum = checksum + sum(v(i, 1:ny)) * dble(mod(i, 13))
    end do
  end subroutine sweep
end program split_few_deep_iterations
