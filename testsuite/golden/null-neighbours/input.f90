! A chain whose ends talk to MPI_PROC_NULL: no guards, and a receive from nobody leaves its buffer
! as it was.
program null_neighbours
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: status(mpi_status_size)
  double precision :: to_next(n), to_prev(n), from_next(n), from_prev(n)
  integer :: upward, downward
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  do i = 1, n
    from_next(i) = -1.0d0
    from_prev(i) = -2.0d0
  end do
  do step = 1, 3
    call mpi_irecv(from_prev, n, mpi_double_precision, prev, 1, mpi_comm_world, upward, ierr)
    call mpi_irecv(from_next, n, mpi_double_precision, next, 2, mpi_comm_world, downward, ierr)
    do i = 1, n
      to_next(i) = dble(rank + step) + dble(i) / 64.0d0
    end do
    call mpi_send(to_next, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    do i = 1, n
      to_prev(i) = dble(rank - step) - dble(i) / 64.0d0
    end do
    call mpi_send(to_prev, n, mpi_double_precision, prev, 2, mpi_comm_world, ierr)
    call mpi_wait(upward, status, ierr)
    call mpi_wait(downward, status, ierr)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + from_prev(i) * dble(mod(i, 6)) - from_next(i) * dble(mod(i, 10))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program null_neighbours
