! A receive that is posted late and waited for early, with work on both sides that does not
! touch its buffer.
program irecv_wait
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), field(n), inner(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank) + dble(i) / dble(n)
  end do
  do i = 1, n
    sbuf(i) = field(i) * 0.5d0
  end do

  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 3, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 3, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)

  do i = 1, n
    inner(i) = field(i) * field(i) + 1.0d0
  end do
  do i = 1, n
    field(i) = inner(i) - rbuf(i)
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 11))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program irecv_wait
