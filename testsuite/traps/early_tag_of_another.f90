! Two receives of one source and tag, which the first one has as `tag + 1` and the second one, after `tag` was set, as `tag`.
! Only who compares them by the values that the tag has at each sees that the second one must not be posted above the first.
! expect: without hoist-receive
program early_tag_of_another
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, step, i, tag, first, second, status(mpi_status_size)
  double precision :: a(n), b(n), sent(n), sent_later(n), checksum
  double precision :: gathered(2, 16)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  a = 1.0d0
  b = 0.0d0
  tag = rank * 0
  do step = 1, 3
    sent = rank + step
    sent_later = 1000.0d0 * (rank + 1) + step
    do i = 1, n
      checksum = checksum + a(i) * dble(mod(i, 5))
      a(i) = 0.0d0
    end do
    call mpi_irecv(a, n, mpi_double_precision, prev, tag + 1, mpi_comm_world, first, ierr)
    tag = tag + 1
    call mpi_irecv(b, n, mpi_double_precision, prev, tag, mpi_comm_world, second, ierr) ! trapped
    call mpi_send(sent, n, mpi_double_precision, next, tag, mpi_comm_world, ierr)
    call mpi_send(sent_later, n, mpi_double_precision, next, tag, mpi_comm_world, ierr)
    call mpi_wait(first, status, ierr)
    call mpi_wait(second, status, ierr)
    checksum = checksum + sum(b) / n
    b = 0.0d0
  end do
  call mpi_gather([checksum, sum(b)], 2, mpi_double_precision, gathered, 2, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) print '(2es24.16)', gathered(:, 1:ranks)
  call mpi_finalize(ierr)
end program early_tag_of_another
