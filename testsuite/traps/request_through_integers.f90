! A request comes to its wait through integers that nobody takes for requests.
! expect: handled
program request_through_integers
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
  place = transfer(request, place)
  copy = ieor(ieor(place(1), 77), 77)
  request = mpi_request_null
  call mpi_wait(copy, mpi_status_ignore, ierr)
  if (copy == mpi_request_null) k = 1
  do i = 1, n
    total = total + rbuf(i) * dble(mod(i, 7)) + k
  end do
  sums = total * (rank + 1)
  call mpi_allreduce(mpi_in_place, sums, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  if (rank == 0) print '(es24.16)', sums
  call mpi_finalize(ierr)
end program request_through_integers
