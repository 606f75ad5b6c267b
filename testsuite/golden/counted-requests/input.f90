! Requests are counted as they are made. The receives are posted before the work above, which the counter
! and the waits of the step before do not keep them from: their requests take their places later.
program counted_requests
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: i, step, nreq, left, right
  integer :: requests(4)
  double precision :: to_left(n), to_right(n), from_left(n), from_right(n), field(n), inner(n)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  left = rank - 1
  right = rank + 1
  if (right == ranks) right = -1
  from_left = 0.0d0
  from_right = 0.0d0
  do step = 1, 3
    do i = 1, n
      inner(i) = field(i) * 0.75d0 + dble(step)
    end do
    nreq = 0
    if (left >= 0) then
      nreq = nreq + 1
      call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, requests(nreq), ierr)
    end if
    if (right >= 0) then
      nreq = nreq + 1
      call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mpi_comm_world, requests(nreq), ierr)
    end if
    do i = 1, n
      to_left(i) = inner(i) * 0.5d0
      to_right(i) = inner(i) * 0.25d0
    end do
    if (left >= 0) then
      nreq = nreq + 1
      call mpi_isend(to_left, n, mpi_double_precision, left, 2, mpi_comm_world, requests(nreq), ierr)
    end if
    if (right >= 0) then
      nreq = nreq + 1
      call mpi_isend(to_right, n, mpi_double_precision, right, 1, mpi_comm_world, requests(nreq), ierr)
    end if
    call mpi_waitall(nreq, requests, mpi_statuses_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.125d0 + from_left(i) + from_right(i)
    end do
  end do
  checksum = 0.0d0
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
end program counted_requests
