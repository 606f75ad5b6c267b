! Only collective operations: there is nothing to overlap, and the program must come out as it went in.
program no_point_to_point
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  double precision :: part, whole
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  part = 0.0d0
  do i = rank + 1, 100000, ranks
    part = part + 1.0d0 / (dble(i) * dble(i))
  end do
  call mpi_reduce(part, whole, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
  checksum = part
  if (rank == 0) write (*, '(a,es24.16)') 'greatest part ', whole

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program no_point_to_point
