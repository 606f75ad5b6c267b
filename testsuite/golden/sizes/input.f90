! Counts and bounds of loops are sizes of arrays.
program sizes
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 3
    call mpi_irecv(rbuf, size(rbuf), mpi_double_precision, prev, 4, mpi_comm_world, request, ierr)
    do i = lbound(sbuf, 1), ubound(sbuf, 1)
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call mpi_send(sbuf, size(sbuf, 1), mpi_double_precision, next, 4, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, size(rbuf)
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
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
end program sizes
