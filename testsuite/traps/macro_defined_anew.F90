! The macro stands for another number further down: there the message would be a short one.
! expect: handled
program macro_defined_anew
  use mpi
  implicit none
#define LENGTH 20000
  integer :: ierr, rank, processes, i, request
  double precision :: sent(20000), received(20000), total, one, sums(2)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  received = -1
  do i = 1, 20000
    sent(i) = dble(mod(i, 13) + rank)
  end do
  call mpi_irecv(received, LENGTH, mpi_double_precision, mod(rank + processes - 1, processes), 3, mpi_comm_world, & ! trapped
       request, ierr)
  call mpi_send(sent, LENGTH, mpi_double_precision, mod(rank + 1, processes), 3, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  one = received(15000)
#undef LENGTH
#define LENGTH 10
  total = 0
  do i = 1, 20000
    total = total + sqrt(dble(i + rank))
  end do
  do i = 1, LENGTH
    total = total + received(i)
  end do
  sums = [one, total] * (rank + 1)
  call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  if (rank == 0) print '(2es24.16)', sums
  call mpi_finalize(ierr)
end program macro_defined_anew
