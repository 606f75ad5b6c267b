! Statements are included, twice in a row: each text has edits of its own, and is written out for that. What is included
! without any stays an INCLUDE line.
program included_statements
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer, parameter :: length = 20000
  integer :: ierr, rank, ranks, left, right, i, request
  double precision :: old(length), new(length), received(length)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank - 1 + ranks, ranks)

  do i = 1, length
    old(i) = rank + 1d0 / i
  end do
  include 'exchange.inc'
  do i = 1, length
    old(i) = new(i) + 1
  end do
  include "exchange.inc" ! once more
  do i = 1, length
    old(i) = new(i)
  end do
  include 'checksum.inc'

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print *, checksums(1:ranks)
  call mpi_finalize(ierr)
end program included_statements
