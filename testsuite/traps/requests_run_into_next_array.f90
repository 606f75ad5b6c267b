! Four requests are waited for by an element of an array of two: the others lie in the array behind it in the COMMON block.
! The receive of `y` is complete there, although no call waits for `second` by its name.
!
! expect: handled
! ranks: 2 4
program requests_run_into_next_array
  implicit none
  include "mpif.h"
  integer, parameter :: n = 3000
  double precision :: x(n), y(n), s(n), t(n), total
  integer :: first(2, 1, 1), second(2, 1, 1)
  common /r/ first, second
  integer :: ierr, rank, ranks, next, prev, i, k
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks); prev = mod(rank - 1 + ranks, ranks)
  total = 0
  do k = 1, 3
    do i = 1, n
      s(i) = dble(i + rank + k); t(i) = dble(2 * i + rank * k)
    end do
    call mpi_irecv(x, n, mpi_double_precision, prev, 1, mpi_comm_world, first(1, 1, 1), ierr)
    call mpi_isend(s, n, mpi_double_precision, next, 1, mpi_comm_world, first(2, 1, 1), ierr)
    call mpi_irecv(y, n, mpi_double_precision, prev, 2, mpi_comm_world, second(1, 1, 1), ierr) ! trapped
    call mpi_isend(t, n, mpi_double_precision, next, 2, mpi_comm_world, second(2, 1, 1), ierr)
    call mpi_waitall(4, first(1, 1, 1), mpi_statuses_ignore, ierr) ! trapped
    total = total + sum(x) + 2 * sum(y)
  end do
  if (rank == 0) write (*, '(*(es24.16))') total
  call mpi_finalize(ierr)
end program requests_run_into_next_array
