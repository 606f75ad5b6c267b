! Two messages of different tags meet receives of any tag: the second one is filled by a loop above the post of the
! first, and must not be announced before it.
! expect: handled
program any_tag_overtaken
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, k
  integer :: requests(2), status(mpi_status_size)
  double precision :: one(n), two(n), rbuf(n)
  double precision :: results(4), all_results(4, max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  one = dble(rank)
  do i = 1, n
    two(i) = dble(mod(i, 7)) + dble(rank)
  end do
  call mpi_isend(one, n, mpi_double_precision, next, 1, mpi_comm_world, requests(1), ierr)  ! trapped
  call mpi_isend(two, n, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)  ! trapped
  do k = 1, 2
    call mpi_recv(rbuf, n, mpi_double_precision, prev, mpi_any_tag, mpi_comm_world, status, ierr)  ! trapped
    results(k) = dble(status(mpi_tag))
    results(k + 2) = sum(rbuf)
  end do
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)  ! trapped

  call mpi_gather(results, 4, mpi_double_precision, all_results, 4, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,4es24.16)') 'rank ', i - 1, all_results(:, i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_tag_overtaken
