! The message of the combined call is shorter than what it could receive: its status tells by how
! much, and the rest of the buffer keeps its values.
! expect: handled
program sendrecv_status
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n)
  integer :: status(mpi_status_size), number
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = -1.0d0
  end do
  call mpi_sendrecv(sbuf, n - 100 * rank, mpi_double_precision, next, 5, rbuf, n, & ! trapped
                    mpi_double_precision, prev, 5, mpi_comm_world, status, ierr)
  do i = 1, n
    sbuf(i) = 0.0d0
  end do
  call mpi_get_count(status, mpi_double_precision, number, ierr)
  checksum = dble(number) + 3.0d0 * dble(status(mpi_source)) + dble(status(mpi_tag)) + sbuf(n) + dble(ierr)
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
end program sendrecv_status
