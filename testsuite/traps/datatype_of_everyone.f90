! Everyone sends elements of a datatype with gaps to everyone.
! expect: kept unsupported-datatype
program datatype_of_everyone
  use mpi
  implicit none

  integer, parameter :: nx = 60, ny = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: pair
  double precision :: a(4*max_ranks), b(4*max_ranks)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, 4*max_ranks
    a(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    b(i) = 0.0d0
  end do
  call mpi_type_vector(2, 1, 2, mpi_double_precision, pair, ierr)
  call mpi_type_commit(pair, ierr)
  call mpi_alltoall(a, 1, pair, b, 1, pair, mpi_comm_world, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, 4*max_ranks
    checksum = checksum + b(i) * dble(mod(i, 13))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_of_everyone
