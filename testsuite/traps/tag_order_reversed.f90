! The messages are received in the opposite order of their being sent; only their tags tell which is
! which.
! ranks: 2 4
! expect: handled
program tag_order_reversed
  use mpi
  implicit none

  integer, parameter :: n = 300
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: first(n), second(n), first_in(n), second_in(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    first(i) = dble(rank + 1) * dble(mod(i, 9))
    second(i) = dble(rank + 1) + dble(mod(i, 4))
  end do
  call mpi_send(first, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_send(second, n, mpi_double_precision, next, 2, mpi_comm_world, ierr) ! trapped
  call mpi_recv(second_in, n, mpi_double_precision, prev, 2, mpi_comm_world, status, ierr) ! trapped
  call mpi_recv(first_in, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + first_in(i) * dble(mod(i, 7)) - second_in(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tag_order_reversed
