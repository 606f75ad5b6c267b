! The first message says how long the second is, which tag it has and where it goes.
! ranks: 2 4
! expect: handled
program received_address
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: head(3), head_in(3)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  head(1) = n - 10*rank
  head(2) = 50 + rank
  head(3) = 1 + mod(rank, 5)
  call mpi_send(head, 3, mpi_integer, next, 1, mpi_comm_world, ierr)
  call mpi_recv(head_in, 3, mpi_integer, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_irecv(rbuf(head_in(3)), head_in(1), mpi_double_precision, prev, head_in(2), & ! trapped
                 mpi_comm_world, request, ierr)
  call mpi_send(sbuf, head(1), mpi_double_precision, next, head(2), mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr) ! trapped
  checksum = dble(head_in(1) + head_in(2) + head_in(3))
  do i = head_in(3), head_in(3) + head_in(1) - 1
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
end program received_address
