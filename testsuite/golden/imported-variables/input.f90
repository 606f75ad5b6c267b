! Variables that a procedure imports by name only for calls that its callers make in its place.
! ranks: 2 3
module fields
  implicit none
  integer, parameter :: n = 30000
  integer :: previous, next
  double precision :: sent(n), received(n), other(n)
end module fields

program imported_variables
  use mpi
  use fields
  implicit none
  integer :: ierr, rank, processes, i, step
  double precision :: sums(2)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  next = mod(rank + 1, processes)
  previous = mod(rank + processes - 1, processes)
  do step = 1, 3
    do i = 1, n
      sent(i) = dble(rank + step) * dble(mod(i, 11))
    end do
    call exchange
    do i = 1, n
      other(i) = dble(mod(i, 7)) * dble(step)
    end do
    sums = [sum(received) * (rank + 1), sum(other)]
    call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
    if (rank == 0) print '(i0, 2(1x, f14.1))', step, sums
  end do
  call mpi_finalize(ierr)
end program imported_variables

subroutine exchange
  use mpi
  use fields, only: n, received, sent
  use fields, only: from => previous
  use fields, only: next
  implicit none
  integer :: requests(2), ierr
  call mpi_irecv(received, n, mpi_double_precision, from, 1, mpi_comm_world, requests(1), ierr)
  call mpi_isend(sent, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
end subroutine exchange
