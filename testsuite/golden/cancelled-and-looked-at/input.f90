! A receive that nobody sends anything for is cancelled; another one is looked at until its message has come.
program cancelled_and_looked_at
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, i, spare, request, sent, looks
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), unused(8), work, total
  logical :: flag, cancelled

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  work = 0.0d0
  looks = 0
  call mpi_irecv(unused, 8, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, spare, ierr)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_cancel(spare, ierr)
  call mpi_wait(spare, status, ierr)
  call mpi_test_cancelled(status, cancelled, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, sent, ierr)
  flag = .false.
  do while (.not. flag)
    call mpi_request_get_status(request, flag, status, ierr)
    looks = looks + 1
    do i = 1, 10
      work = work + 0.0d0
    end do
  end do
  if (status(mpi_source) /= prev .or. looks < 1) work = -1.0d9
  call mpi_wait(request, status, ierr)
  do i = 1, n
    work = work + rbuf(i) * dble(mod(i, 7))
  end do
  call mpi_wait(sent, mpi_status_ignore, ierr)
  if (.not. cancelled) work = -1.0d9
  call mpi_reduce(work, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(es24.16)', total
  call mpi_finalize(ierr)
end program cancelled_and_looked_at
