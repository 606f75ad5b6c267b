! A macro has the name of a constant that is written into the output: there it would stand for another communicator.
! expect: kept
#define mpi_comm_world my_world
#define n count_of(1)
module data
  integer :: my_world, count_of(1) = 7
end module
program macro_of_written_name
  use mpi
  use data
  implicit none
  integer, parameter :: length = 100
  double precision, save :: sbuf(length), rbuf(length)
  integer :: rank, ranks, next, prev, i, ierr
  integer :: N
  integer :: status(mpi_status_size)
  N = 100
  call mpi_init(ierr)
  call mpi_comm_dup(MPI_COMM_WORLD, my_world, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, N
    sbuf(i) = dble(rank) + dble(i)
  end do
  call mpi_send(sbuf, N, mpi_double_precision, next, 7, mpi_comm_world, ierr) ! trapped
  call mpi_recv(rbuf, N, mpi_double_precision, prev, 7, mpi_comm_world, status, ierr) ! trapped
  if (rank == 0) print *, rbuf(1), n
  call mpi_finalize(ierr)
end program macro_of_written_name
