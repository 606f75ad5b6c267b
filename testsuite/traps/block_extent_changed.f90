! The extents of a variable of a BLOCK are evaluated when it begins: the number that they were made of has another value by
! the time of the message, which is of two columns, not of one.
! expect: without sink-wait
program block_extent_changed
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, n
  integer :: request
  integer :: status(mpi_status_size)
  double precision :: rbuf(40000)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  call mpi_irecv(rbuf, 40000, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  n = 20000
  block
    double precision :: columns(n, 3)
    columns = dble(rank + 1)
    n = 2 * n
    call mpi_send(columns(1, 1), n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    do i = 1, 20000
      columns(i, 2) = -1.0d0
    end do
    checksum = columns(1, 2) + columns(20000, 3)
  end block
  call mpi_wait(request, status, ierr)
  do i = 1, 40000
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program block_extent_changed
