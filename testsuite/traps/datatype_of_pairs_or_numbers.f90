! Messages are made of numbers or of pairs of them: as many pairs are twice as long as they seem.
! expect: handled
program datatype_of_pairs_or_numbers
  use mpi
  implicit none
  integer, parameter :: n = 40000
  integer :: ierr, rank, processes, i, request, element, last
  integer :: sent(n), received(n)
  double precision :: total, sums(3)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  if (processes > 0) then
    element = mpi_2integer
  else
    element = mpi_integer
  end if
  received = -1
  do i = 1, n
    sent(i) = mod(i, 13) + rank
  end do
  call mpi_irecv(received, 20000, element, mod(rank + processes - 1, processes), 3, mpi_comm_world, request, ierr) ! trapped
  total = 0
  do i = 1, 2000000 * (1 + rank)
    total = total + sqrt(dble(i))
  end do
  call mpi_send(sent, 20000, element, mod(rank + 1, processes), 3, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  last = received(30000)
  do i = 1, n
    total = total + sqrt(dble(i + rank))
  end do
  sums = [dble(last), total, dble(sum(received))] * (rank + 1)
  call mpi_allreduce(mpi_in_place, sums, 3, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  if (rank == 0) print '(3es24.16)', sums
  call mpi_finalize(ierr)
end program datatype_of_pairs_or_numbers
