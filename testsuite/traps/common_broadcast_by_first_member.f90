! Several members of a COMMON block are broadcast by the first of them, which is a scalar: the receive buffer is one of them.
! expect: handled
program common_broadcast_by_first_member
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: header, other, rbuf(n), sbuf(n)
  common /exchange_area/ header, other, rbuf
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  header = 3.0d0
  other = rank
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = dble(rank)
  end do
  call mpi_bcast(header, n/2, mpi_double_precision, 0, mpi_comm_world, ierr)
  checksum = sum(rbuf)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  call mpi_bcast(header, n/2, mpi_double_precision, 0, mpi_comm_world, ierr)
  checksum = checksum + sum(rbuf) + other

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program common_broadcast_by_first_member
