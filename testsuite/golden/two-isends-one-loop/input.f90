! One loop fills two messages, which go to two neighbours without waiting: it is cut once, with a
! put for each.
program two_isends_one_loop
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: to_next(n), to_prev(n), from_next(n), from_prev(n)
  integer :: requests(4)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(from_prev, n, mpi_double_precision, prev, 61, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(from_next, n, mpi_double_precision, next, 62, mpi_comm_world, requests(2), ierr)
    do i = 1, n
      to_next(i) = dble(rank + step) * 0.5d0 + dble(mod(i, 14))
      to_prev(i) = to_next(i) - dble(2 * step)
    end do
    call mpi_isend(to_next, n, mpi_double_precision, next, 61, mpi_comm_world, requests(3), ierr)
    call mpi_isend(to_prev, n, mpi_double_precision, prev, 62, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    do i = 1, n
      checksum = checksum + from_prev(i) * dble(mod(i, 6)) - from_next(i) * dble(mod(i, 10))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program two_isends_one_loop
