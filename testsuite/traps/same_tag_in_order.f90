! Two messages with the same tag: the receives must stay in their order, although the work before
! the second does not touch its buffer, so that it could be posted above the first.
! ranks: 2 4
! expect: handled
program same_tag_in_order
  use mpi
  implicit none

  integer, parameter :: n = 300
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: first(n), second(n), first_in(n), second_in(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    first(i) = dble(rank + 1) * dble(mod(i, 9))
    second(i) = dble(rank + 1) + dble(mod(i, 4))
    first_in(i) = dble(i)
  end do
  call mpi_send(first, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_send(second, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  work = 0.0d0
  do i = 1, n
    work = work + first_in(i)
  end do
  call mpi_recv(first_in, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_recv(second_in, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  checksum = work
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
end program same_tag_in_order
