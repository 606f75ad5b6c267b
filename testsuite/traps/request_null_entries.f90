! A chain without wrap-around. What the ends of it do not post is null, and set to null anew in each
! iteration.
! expect: handled
program request_null_entries
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: sbuf(n), from_prev(n), from_next(n)
  integer :: requests(4), k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  from_prev = 0.0d0
  from_next = 0.0d0
  checksum = 0.0d0
  do step = 1, 3
    requests(:) = mpi_request_null
    do k = 3, 4
      requests(k) = mpi_request_null
    end do
    if (rank > 0) call mpi_irecv(from_prev, n, mpi_double_precision, rank - 1, 1, mpi_comm_world, requests(1), ierr) ! trapped
    if (rank < ranks - 1) then
      call mpi_irecv(from_next, n, mpi_double_precision, rank + 1, 2, mpi_comm_world, requests(2), ierr) ! trapped
    end if
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    if (rank < ranks - 1) call mpi_isend(sbuf, n, mpi_double_precision, rank + 1, 1, mpi_comm_world, requests(3), ierr) ! trapped
    if (rank > 0) call mpi_isend(sbuf, n, mpi_double_precision, rank - 1, 2, mpi_comm_world, requests(4), ierr) ! trapped
    if (rank == ranks - 1) requests(2) = mpi_request_null
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
    do i = 1, n
      checksum = checksum + from_prev(i) * dble(mod(i, 7)) - from_next(i) * dble(mod(i, 5))
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
end program request_null_entries
