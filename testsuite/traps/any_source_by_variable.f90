! The source of the first receive is a variable that holds MPI_ANY_SOURCE on some ranks: the second one names a rank
! that is one more, and its post must not pass the first.
! expect: handled
program any_source_by_variable
  use mpi
  implicit none

  integer, parameter :: n = 12000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, source
  integer :: requests(2), status(mpi_status_size)
  double precision :: one(n), two(n), first(n), second(n), work(n)
  double precision :: results(3), all_results(3, max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  source = mpi_any_source
  if (rank == ranks - 1) source = prev
  one = dble(rank)
  two = 100.0d0 + dble(rank)
  call mpi_isend(one, n, mpi_double_precision, next, 1, mpi_comm_world, requests(1), ierr)  ! trapped
  call mpi_isend(two, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)  ! trapped
  call mpi_recv(first, n, mpi_double_precision, source, 1, mpi_comm_world, status, ierr)  ! trapped
  do i = 1, n
    work(i) = dble(mod(i, 11)) * 0.5d0
  end do
  call mpi_recv(second, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)  ! trapped
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)  ! trapped
  results = [dble(status(mpi_source)), sum(first) + sum(work), sum(second)]

  call mpi_gather(results, 3, mpi_double_precision, all_results, 3, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,3es24.16)') 'rank ', i - 1, all_results(:, i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_source_by_variable
