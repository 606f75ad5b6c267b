! Numbers in the bounds are of other kinds than the loops' variables: tiles and parts are counted in default integers.
! expect: handled
program bounds_of_other_kinds
  use mpi
  implicit none

  integer, parameter :: n = 20000, nx = 120, ny = 90
  integer :: i, j, step, request
  integer :: requests(4)
  double precision :: sbuf(n), rbuf(n), u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  rbuf = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 3, mpi_comm_world, request, ierr)
    do i = 1_8, n / 2 + 10000_2
      sbuf(i) = dble(rank + step) * dble(mod(i, 17))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 3, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, mpi_status_ignore, ierr)
    call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)
    call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
    do j = 1, 90_8
      do i = 1, nx
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j) + rbuf(i) * 0.001d0
      end do
    end do
  end do
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
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
end program bounds_of_other_kinds
