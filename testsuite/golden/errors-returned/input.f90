! MPI returns errors. Codes that the next call overwrites are nobody's: their waits and posts move. Where a code is looked at, its
! call stays, and what is posted or opened above it leaves its errors to it.
program errors_returned
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, code, i
  integer :: requests(2)
  double precision :: edge(n), halo(n), inner(n), other(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_errhandler_set(mpi_comm_world, mpi_errors_return, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  do i = 1, n
    edge(i) = dble(rank + 1) / dble(i)
    halo(i) = 0.0d0
  end do
  call mpi_irecv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, requests(1), ierr)
  call mpi_isend(edge, n, mpi_double_precision, next, 5, mpi_comm_world, requests(2), ierr)
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  do i = 1, n
    inner(i) = sqrt(dble(i))
  end do

  do i = 1, n
    other(i) = inner(i) + halo(i) * dble(mod(i, 7))
  end do
  call mpi_send(other, n, mpi_double_precision, next, 6, mpi_comm_world, code)
  if (code /= mpi_success) write (*, '(a,i0)') 'not sent by ', rank
  call mpi_recv(halo, n, mpi_double_precision, prev, 6, mpi_comm_world, mpi_status_ignore, code)
  do i = 1, n
    inner(i) = inner(i) + edge(i)
  end do
  if (code /= mpi_success) write (*, '(a,i0)') 'not received by ', rank
  checksum = sum(inner) + sum(halo)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program errors_returned
