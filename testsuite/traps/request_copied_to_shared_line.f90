! A copy of the request is waited for on a line with another statement, which stays MPI's call: it can't be handed a request of Gravel.
! expect: kept request-escapes
program request_copied_to_shared_line
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer :: rank, ranks, next, prev, ierr, i, communicator, k
  integer :: request, copy, place(1)
  double precision :: sbuf(n), rbuf(n), total, sums(1)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  communicator = mpi_comm_world
  k = 0

  rbuf = 0
  do i = 1, n
    sbuf(i) = sqrt(dble(i + rank))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 3, communicator, request, ierr) ! trapped
  total = 0
  do i = 1, 500000 * (1 + rank)
    total = total + sqrt(dble(i))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 3, communicator, ierr) ! trapped
  copy = request
  place = 0
  call mpi_wait(copy, mpi_status_ignore, ierr); k = 1
  do i = 1, n
    total = total + rbuf(i) * dble(mod(i, 7)) + k
  end do
  sums = total * (rank + 1)
  call mpi_allreduce(mpi_in_place, sums, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  if (rank == 0) print '(es24.16)', sums
  call mpi_finalize(ierr)
end program request_copied_to_shared_line
