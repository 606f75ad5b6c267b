! Errors return. A process names a destination that there is not: its call fails as a whole, and what it would have received comes to its
! next receive.
! expect: kept error-handler
program error_of_one_half
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: to, from, code
  double precision :: sbuf(n), rbuf(n), late(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  to = next
  if (rank == 0) to = ranks
  from = prev
  if (prev == 0) from = mpi_proc_null
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0
  late = 0.0d0
  work = 0.0d0
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_sendrecv(sbuf, n, mpi_double_precision, to, 1, rbuf, n, mpi_double_precision, from, 1, & ! trapped
                    mpi_comm_world, status, code)
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  if (code /= mpi_success) then
    call mpi_recv(late, n, mpi_double_precision, from, 1, mpi_comm_world, status, ierr)
  end if
  checksum = work + sum(rbuf) + 0.5d0 * sum(late)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_of_one_half
