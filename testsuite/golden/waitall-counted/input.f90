! Requests are counted as they are made, and so many are waited for.
program waitall_counted
  use mpi_f08
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i, step
  type(mpi_request) :: requests(4)
  integer :: left, right, pending
  double precision :: to_left(n), to_right(n), from_left(n), from_right(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  left = merge(mpi_proc_null, rank - 1, rank == 0)
  right = merge(mpi_proc_null, rank + 1, rank == ranks - 1)
  from_left = 0.0d0
  from_right = 0.0d0

  do step = 1, 3
    pending = 0
    if (left /= mpi_proc_null) then
      pending = pending + 1
      call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, requests(pending))
    end if
    if (right /= mpi_proc_null) then
      pending = pending + 1
      call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mpi_comm_world, requests(pending))
    end if
    do i = 1, n
      to_left(i) = field(i) * 0.5d0
    end do
    if (left /= mpi_proc_null) then
      pending = pending + 1
      call mpi_isend(to_left, n, mpi_double_precision, left, 2, mpi_comm_world, requests(pending))
    end if
    do i = 1, n
      to_right(i) = field(i) * 0.25d0 + dble(step)
    end do
    if (right /= mpi_proc_null) then
      pending = pending + 1
      call mpi_isend(to_right, n, mpi_double_precision, right, 1, mpi_comm_world, requests(pending))
    end if
    if (pending > 0) call mpi_waitall(pending, requests, mpi_statuses_ignore)
    do i = 1, n
      field(i) = field(i) * 0.125d0 + from_left(i) + from_right(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize()
end program waitall_counted
