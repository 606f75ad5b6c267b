! Ready sends: the barrier says that the receives are posted. A standard send may stand in the place of each, so that it is
! sent tile by tile, or waited for behind other work.
program ready_sends
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: incoming(2), outgoing
  integer :: statuses(mpi_status_size, 2)
  double precision :: low(n), high(n), from_prev(n), from_next(n), inner(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  inner = dble(rank)

  do step = 1, 3
    call mpi_irecv(from_prev, n, mpi_double_precision, prev, 1, mpi_comm_world, incoming(1), ierr)
    call mpi_irecv(from_next, n, mpi_double_precision, next, 2, mpi_comm_world, incoming(2), ierr)
    call mpi_barrier(mpi_comm_world, ierr)
    do i = 1, n
      low(i) = inner(i) + dble(mod(i * step, 13))
    end do
    call mpi_irsend(low, n, mpi_double_precision, prev, 2, mpi_comm_world, outgoing, ierr)
    do i = 1, n
      high(i) = inner(i) - dble(mod(i * step, 17))
    end do
    call mpi_rsend(high, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    do i = 1, n
      inner(i) = 0.5d0 * inner(i) + dble(mod(i, 3))
    end do
    call mpi_wait(outgoing, mpi_status_ignore, ierr)
    call mpi_waitall(2, incoming, statuses, ierr)
    do i = 1, n
      inner(i) = inner(i) + 0.25d0 * (from_prev(i) + from_next(i))
    end do
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + inner(i) * dble(mod(i, 11))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program ready_sends
