! The second send takes the element that holds the request of the first one, which is never waited
! for. Its message must arrive all the same, and the wait must not be taken for that of the first
! buffer.
! expect: handled
! ranks: 2 4
program request_element_overwritten
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: first(n), second(n), first_in(n), second_in(n)
  integer :: requests(1)
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
  call mpi_isend(first, n, mpi_double_precision, next, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(second, n, mpi_double_precision, next, 2, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_recv(first_in, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  call mpi_recv(second_in, n, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  call mpi_waitall(1, requests, mpi_statuses_ignore, ierr) ! trapped
  do i = 1, n
    second(i) = 0.0d0
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  checksum = second(1)
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
end program request_element_overwritten
