! What has come is seen in the statuses that the wait for all of them fills.
program waitall_statuses
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: requests(4), statuses(mpi_status_size, 4), number, total
  double precision :: to_next(n), from_next(n), from_prev(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  total = 0
  do step = 1, 3
    call mpi_irecv(from_prev, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(from_next, n, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)
    do i = 1, n
      to_next(i) = field(i) * 0.5d0
    end do
    call mpi_isend(to_next, n - 10 * rank, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(to_next, n, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, statuses, ierr)
    call mpi_get_count(statuses(:, 1), mpi_double_precision, number, ierr)
    total = total + number + statuses(mpi_source, 2) + 10 * statuses(mpi_tag, 1)
    do i = 1, number
      field(i) = field(i) * 0.125d0 + from_prev(i) + from_next(i)
    end do
  end do
  checksum = dble(total)
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program waitall_statuses
