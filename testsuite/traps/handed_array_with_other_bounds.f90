! The procedure that waits counts the requests from 0 on: its first one is that of the first receive. A wait for another
! element would leave the checksum to chance.
! expect: handled
program handed_array_with_other_bounds
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: requests(4)
  double precision :: to_next(n), to_prev(n), from_prev(n), from_next(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    to_next(i) = dble(rank + 1) * dble(mod(i, 9))
    to_prev(i) = dble(rank + 2) * dble(mod(i, 11))
  end do
  call mpi_irecv(from_prev, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_irecv(from_next, n, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_isend(to_next, n, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_isend(to_prev, n, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr) ! trapped
  call await(from_prev, from_next, to_next, to_prev, requests)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + from_prev(i) * dble(mod(i, 7)) - from_next(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
contains
  subroutine await(one, two, three, four, handles)
    double precision, intent(inout) :: one(n), two(n), three(n), four(n)
    integer, intent(inout) :: handles(0:3)
    integer :: error, k

    do k = 0, 3
      call mpi_wait(handles(k), mpi_status_ignore, error)
    end do
    one(1) = one(1) + two(1) + three(1) + four(1)
  end subroutine await
end program handed_array_with_other_bounds
