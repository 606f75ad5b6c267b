! One loop fills two messages whose elements differ in size, and one of them goes to fewer processes
! than the other: one tile length has to suit both.
! expect: handled
program two_messages_of_two_types
  use mpi
  implicit none

  integer, parameter :: n = 50000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n)
  integer :: requests(4), counts(n), counts_in(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  counts_in = 0
  requests(:) = mpi_request_null
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  if (rank < ranks - 1) then
    call mpi_irecv(counts_in, n, mpi_integer, rank + 1, 2, mpi_comm_world, requests(2), ierr) ! trapped
  end if
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    counts(i) = mod(i, 13) + rank
  end do
  if (rank > 0) call mpi_isend(counts, n, mpi_integer, rank - 1, 2, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(4), ierr) ! trapped
  call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) - dble(counts_in(i)) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program two_messages_of_two_types
