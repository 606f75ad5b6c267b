! Sweeps in place that reach two columns far: each column uses the new values of the one before the last. Computed in another
! order it would use old ones.
! expect: without split-loop
! ranks: 2 3
program split_deep_in_place
  use mpi
  implicit none

  integer, parameter :: nx = 120, ny = 30
  double precision :: u(nx, -1:ny+2), edges(nx, 4)
  integer :: i, j, request
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do j = -1, ny + 2
    do i = 1, nx
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7 + 70, 31)) * 0.125d0
    end do
  end do
  do k = 1, 5
    edges = u(:, 1:4) + dble(k)
    if (rank == 1) call delay
    call mpi_irecv(u(1, -1), 2*nx, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(edges, 2*nx, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        u(i, j) = 0.5d0 * u(i, j-2) + 0.25d0 * u(i, j)
      end do
    end do
    checksum = checksum + sum(u(:, 1:ny))
    call mpi_irecv(u(1, ny+1), 2*nx, mpi_double_precision, next, 2, mpi_comm_world, request, ierr)
    call mpi_send(edges, 2*nx, mpi_double_precision, prev, 2, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        u(i, j) = 0.5d0 * u(i, j+2) + 0.25d0 * u(i, j)
      end do
    end do
    checksum = checksum + sum(u(:, 1:ny))
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

end program split_deep_in_place
