! A wait for no request stores MPI_ANY_SOURCE, which the program names nowhere: a receive from there takes any message.
! expect: handled
program source_of_no_request
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, source, i
  integer :: status(mpi_status_size), earlier(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  request = mpi_request_null
  call mpi_wait(request, earlier, ierr)
  source = earlier(mpi_source)

  call mpi_irecv(rbuf, n, mpi_double_precision, source, 7, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr) ! trapped
  checksum = 0.0d0
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
end program source_of_no_request
