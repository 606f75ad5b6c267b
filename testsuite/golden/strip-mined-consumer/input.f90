! What has come is read by loops that go through it from its beginning to its end: element by element, with
! its neighbours, and row by row. Each tile of a loop waits for what it reads.
! ranks: 2 4
program strip_mined_consumer
  use mpi
  implicit none

  integer, parameter :: n = 30000, nx = 150, ny = 200
  integer :: i, j, step
  integer :: request
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), field(n), smooth(n), plane(nx, ny), halo(nx*ny)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 23)) * 0.5d0
  end do
  plane = 1.0d0
  smooth = 0.0d0
  do step = 1, 3
    ! Element by element.
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0 + dble(step)
    end do
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(i) * 0.25d0
    end do
    ! With the neighbours.
    do i = 1, n
      sbuf(i) = field(i) - dble(step)
    end do
    call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 2, rbuf, n, mpi_double_precision, prev, 2, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 2, n - 1
      smooth(i) = (rbuf(i - 1) + rbuf(i) + rbuf(i + 1)) * 0.25d0 + field(i)
    end do
    ! Row by row.
    do i = 1, n
      sbuf(i) = smooth(i) * 0.125d0
    end do
    if (mod(rank, 2) == 0) then
      call mpi_send(sbuf, nx*ny, mpi_double_precision, next, 3, mpi_comm_world, ierr)
      call mpi_recv(halo, nx*ny, mpi_double_precision, prev, 3, mpi_comm_world, status, ierr)
    else
      call mpi_recv(halo, nx*ny, mpi_double_precision, prev, 3, mpi_comm_world, status, ierr)
      call mpi_send(sbuf, nx*ny, mpi_double_precision, next, 3, mpi_comm_world, ierr)
    end if
    do j = 1, ny
      do i = 1, nx
        plane(i, j) = plane(i, j) * 0.5d0 + halo((j - 1)*nx + i)
      end do
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9)) + smooth(i)
  end do
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + plane(i, j) * dble(i + j)
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
end program strip_mined_consumer
