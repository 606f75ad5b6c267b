! A macro that no procedure with messages names: what is written into them would be replaced by it.
! expect: kept name-taken
! ranks: 2 4
module data
  implicit none
  integer :: my_world = -1
  integer :: smallest(9) = 7
end module data
#define mpi_comm_world my_world
#define min(a, b) smallest(1)
program macro_replaces_what_is_written
  use mpi
  use data
  implicit none
  integer, parameter :: length = 100
  double precision, save :: sbuf(length), rbuf(length)
  integer :: rank, ranks, next, prev, i, request, ierr
  integer :: status(mpi_status_size)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_irecv(rbuf, length, mpi_double_precision, prev, 7, MPI_COMM_WORLD, request, ierr) ! trapped
  do i = 1, length
    sbuf(i) = dble(rank) + dble(i)
  end do
  call mpi_send(sbuf, length, mpi_double_precision, next, 7, MPI_COMM_WORLD, ierr) ! trapped
  call mpi_wait(request, status, ierr) ! trapped
  if (rank == 0) print *, rbuf(1), sum(rbuf), my_world
  call mpi_finalize(ierr)
end program macro_replaces_what_is_written
