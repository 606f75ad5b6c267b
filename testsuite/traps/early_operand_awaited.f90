! What the sources of two receives are computed of comes in a message of its own. The receives are posted above the loop, with
! what is computed there; the wait for that message must not sink below.
! expect: without sink-wait
program early_operand_awaited
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, step, i, distance, told, first, second, requests(2)
  integer :: request, status(mpi_status_size), statuses(mpi_status_size, 2)
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
    told = 1 + mod(step, 2)
    call mpi_isend(told, 1, mpi_integer, mod(rank + 1, ranks), 9, mpi_comm_world, request, ierr)
    call mpi_recv(distance, 1, mpi_integer, mod(rank + ranks - 1, ranks), 9, mpi_comm_world, status, ierr) ! trapped
    do i = 1, n
      work(i) = work(i) + dble(mod(i, 7)) / dble(step)
    end do
    first = mod(rank - distance + 2 * ranks, ranks)
    second = rank - (3 - distance)
    if (second < 0) second = mod(second + 2 * ranks, ranks)
    call mpi_irecv(near_in, n, mpi_double_precision, first, 4, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(far_in, n, mpi_double_precision, second, 4, mpi_comm_world, requests(2), ierr)
    call mpi_send(near, n, mpi_double_precision, mod(rank + 1, ranks), 4, mpi_comm_world, ierr)
    call mpi_send(far, n, mpi_double_precision, mod(rank + 2, ranks), 4, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    call mpi_waitall(2, requests, statuses, ierr)
    do i = 1, n
      checksum = checksum + near_in(i) * dble(mod(i, 3)) + far_in(i) * dble(mod(i, 5))
    end do
  end do
  call mpi_gather([checksum, sum(work)], 2, mpi_double_precision, gathered, 2, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) print '(2es24.16)', gathered(:, 1:ranks)
  call mpi_finalize(ierr)
end program early_operand_awaited
