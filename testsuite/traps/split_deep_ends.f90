! Sweeps of which other iterations need the message than its width says: only its far column is read, it runs over into the
! columns between, a branch reaches further than the rest, and what is read lies further on one side. One iteration fewer
! behind the wait would read what was there before.
! expect: handled
! ranks: 2 3
program split_deep_ends
  use mpi
  implicit none

  integer, parameter :: nx = 120, ny = 30
  double precision :: u(nx, -3:ny+4), v(nx, ny), edges(nx, 4)
  integer :: i, j, requests(4)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do j = -3, ny + 4
    do i = 1, nx
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7 + 70, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do k = 1, 5
    edges = u(:, 1:4) + dble(k)
    if (rank == 1) call delay

    ! Three columns, of which the far one is read.
    call mpi_irecv(u(1, -2), 3*nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(edges, 3*nx, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        v(i, j) = u(i, j-3) + 0.5d0 * u(i, j)
      end do
    end do
    call mpi_wait(requests(2), mpi_status_ignore, ierr)
    checksum = checksum + sum(v)

    ! The message begins in the middle of a column, and ends in the middle of column 2.
    call mpi_irecv(u(50, -1), 3*nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(edges, 3*nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        v(i, j) = u(i, j-1) - 0.25d0 * u(i, j-2)
      end do
    end do
    call mpi_wait(requests(2), mpi_status_ignore, ierr)
    checksum = checksum + sum(v)

    ! Some rows reach further than the others.
    call mpi_irecv(u(1, ny+1), 4*nx, mpi_double_precision, next, 3, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(edges, 4*nx, mpi_double_precision, prev, 3, mpi_comm_world, requests(2), ierr)
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        if (mod(i, 7) == 3) then
          v(i, j) = u(i, j+4)
        else
          v(i, j) = u(i, j+1) + u(i, j)
        end if
      end do
    end do
    call mpi_wait(requests(2), mpi_status_ignore, ierr)
    checksum = checksum + sum(v)

    ! Two messages for one loop, each of which is needed deeper on its own side.
    if (rank == 1) call delay
    call mpi_irecv(u(1, -3), 4*nx, mpi_double_precision, prev, 4, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_irecv(u(1, ny+1), 2*nx, mpi_double_precision, next, 5, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_isend(edges, 4*nx, mpi_double_precision, next, 4, mpi_comm_world, requests(3), ierr)
    call mpi_isend(edges(1, 2), 2*nx, mpi_double_precision, prev, 5, mpi_comm_world, requests(4), ierr)
    call mpi_wait(requests(2), mpi_status_ignore, ierr) ! trapped
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        v(i, j) = u(i, j-4) + u(i, j+2)
      end do
    end do
    call mpi_wait(requests(3), mpi_status_ignore, ierr)
    call mpi_wait(requests(4), mpi_status_ignore, ierr)
    checksum = checksum + sum(v)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = 0.5d0 * u(i, j) + 0.0625d0 * v(i, j)
      end do
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

end program split_deep_ends
