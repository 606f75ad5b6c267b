! The sources of two receives are computed behind a loop that changes what they are computed of: computed above it, each
! would be the other one's.
! expect: without hoist-receive
program early_operand_changed
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, step, i, distance, first, second, requests(2)
  integer :: statuses(mpi_status_size, 2)
  double precision :: near(n), far(n), near_in(n), far_in(n), work(n), checksum
  double precision :: gathered(2, 16)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  work = 0.0d0
  checksum = 0.0d0
  distance = 2
  do step = 1, 4
    near = rank + 0.5d0
    far = 100.0d0 * rank + step
    do i = 1, n
      work(i) = work(i) + dble(mod(i, 7)) / dble(step)
      distance = 1 + mod(step + i * 2, 2)
    end do
    first = mod(rank - distance + 2 * ranks, ranks)
    second = rank - (3 - distance)
    if (second < 0) second = mod(second + 2 * ranks, ranks)
    call mpi_irecv(near_in, n, mpi_double_precision, first, 4, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_irecv(far_in, n, mpi_double_precision, second, 4, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_send(near, n, mpi_double_precision, mod(rank + 1, ranks), 4, mpi_comm_world, ierr)
    call mpi_send(far, n, mpi_double_precision, mod(rank + 2, ranks), 4, mpi_comm_world, ierr)
    call mpi_waitall(2, requests, statuses, ierr)
    do i = 1, n
      checksum = checksum + near_in(i) * dble(mod(i, 3)) + far_in(i) * dble(mod(i, 5))
    end do
  end do
  call mpi_gather([checksum, sum(work)], 2, mpi_double_precision, gathered, 2, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) print '(2es24.16)', gathered(:, 1:ranks)
  call mpi_finalize(ierr)
end program early_operand_changed
