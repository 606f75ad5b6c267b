! Procedures of a module are included: a template twice, under other macros, so that each text has a meaning of its own. The
! texts that change are written out, and the others stay lines that include them.
#undef WITH_ALL
module shifts
  use mpi
  implicit none

  integer, parameter :: length = 20000, tag = 3
  integer :: left, right
contains
#include "all.inc"
#include "all.inc"
end module shifts

program included_procedures
  use mpi
  use shifts
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  double precision :: first(length), second(length), third(length)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank - 1 + ranks, ranks)
  do i = 1, length
    first(i) = rank + 1d0 / i
  end do
  call shift_up(first, second)
  call shift_down(second, third)
  checksum = weighted(third)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print *, checksums(1:ranks)
  call mpi_finalize(ierr)
end program included_procedures
