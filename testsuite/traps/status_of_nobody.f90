! The status of a receive from MPI_PROC_NULL, and the count that goes with it.
! expect: handled
program status_of_nobody
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, send_request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: length
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  do i = 1, n
    rbuf(i) = 1.0d0
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 6, mpi_comm_world, send_request, ierr)
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 6, mpi_comm_world, status, ierr) ! trapped
  call mpi_get_count(status, mpi_double_precision, length, ierr)
  checksum = dble(length)
  if (status(mpi_source) == mpi_proc_null) checksum = checksum + 0.5d0
  if (status(mpi_tag) == mpi_any_tag) checksum = checksum + 0.25d0
  call mpi_wait(send_request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program status_of_nobody
