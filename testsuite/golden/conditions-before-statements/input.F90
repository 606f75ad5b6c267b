! Between the declarations and the first statement stand conditions, which leave out what would be a statement: what is
! declared goes in front of them.
#define PRINTS 0
#undef CHECKS
module conditions_before_statements
  use mpi
  implicit none
  integer, parameter :: n = 6000
  double precision :: outgoing(n), incoming(n)

contains

  subroutine exchange(next, prev, scale)
    integer, intent(in) :: next, prev
    double precision, intent(in) :: scale
    integer :: i, ierr
    integer :: status(mpi_status_size)

#ifdef CHECKS
    if (next == prev) print *, 'only two processes'
#endif

    do i = 1, n
      outgoing(i) = scale * dble(mod(i, 13))
    end do
    call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 3, incoming, n, mpi_double_precision, prev, 3, &
                      mpi_comm_world, status, ierr)
  end subroutine exchange
end module conditions_before_statements

program main
  use mpi
  use conditions_before_statements
  implicit none
  integer :: ierr, rank, ranks, step
  double precision :: total, sums(64)

#if PRINTS
  print *, 'it begins'
#else
  call mpi_init(ierr)
#endif
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  total = 0.0d0
  do step = 1, 3
    call exchange(mod(rank + 1, ranks), mod(rank - 1 + ranks, ranks), dble(rank + step))
    total = total + sum(incoming)
  end do
  call mpi_gather(total, 1, mpi_double_precision, sums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(es24.16)') sums(1:ranks)
  call mpi_finalize(ierr)
end program main
