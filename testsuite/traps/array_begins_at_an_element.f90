! A procedure is handed an element of an array of tags and sends with the one behind it. Whoever takes the element for all
! that it can see believes that the send belongs to the receive below, whose tag is that element; but it is received by a
! call that stays with MPI.
! ranks: 2 4
! expect: kept
program array_begins_at_an_element
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: tags(3) = [11, 12, 13]
  integer :: ierr, rank, ranks, next, prev, request, status(mpi_status_size), i
  double precision :: sbuf(n), rbuf(n), sent(n), received(n)
  double precision :: checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 5))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 12, mpi_comm_world, request, ierr)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 12, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)
  if (mod(rank, 2) == 0) call send_part(sent, tags(2), next)
  call mpi_probe(prev, 13, mpi_comm_world, status, ierr); ierr = 0
  call mpi_recv(received, n, mpi_double_precision, prev, 13, mpi_comm_world, status, ierr) ! trapped
  if (mod(rank, 2) == 1) call send_part(sent, tags(2), next)

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) - received(i) * dble(mod(i, 3))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(f16.2)', total
  call mpi_finalize(ierr)
end program array_begins_at_an_element

subroutine send_part(buffer, from_here, to)
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision, intent(in) :: buffer(n)
  integer, intent(in) :: from_here(2), to
  integer :: ierr

  call mpi_send(buffer, n, mpi_double_precision, to, from_here(2), mpi_comm_world, ierr) ! trapped
end subroutine send_part
