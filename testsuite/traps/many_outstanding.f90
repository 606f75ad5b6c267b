! Two hundred small messages are on their way before the first of them is received.
! ranks: 2 4
! expect: handled
program many_outstanding
  use mpi
  implicit none

  integer, parameter :: n = 16
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: message
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do message = 1, 200
    do i = 1, n
      sbuf(i) = dble(rank + 1) * dble(mod(i, 9)) + dble(message)
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  end do
  checksum = 0.0d0
  do message = 1, 200
    call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) * dble(message)
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
end program many_outstanding
