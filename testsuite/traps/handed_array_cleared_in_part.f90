! A procedure that sees only the first two requests of the array sets all that it sees to the null request before it posts: the
! others are still to be waited for.
! expect: handled
program handed_array_cleared_in_part
  use mpi
  implicit none

  integer, parameter :: n = 200000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: requests(4)
  double precision :: to_next(n), to_prev(n), from_prev(n), from_next(n), started
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
  from_next = 0.0d0
  call mpi_irecv(from_next, n, mpi_double_precision, next, 2, mpi_comm_world, requests(3), ierr) ! trapped
  ! The last rank is late.
  started = mpi_wtime()
  do while (rank == ranks - 1 .and. mpi_wtime() - started < 0.2d0)
  end do
  call mpi_isend(to_prev, n, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr) ! trapped
  call begin(from_prev, to_next, requests)
  call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
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

  subroutine begin(incoming, outgoing, handles)
    double precision, intent(inout) :: incoming(n)
    double precision, intent(in) :: outgoing(n)
    integer, intent(inout) :: handles(2)
    integer :: error

    handles(:) = mpi_request_null
    call mpi_irecv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, handles(1), error) ! trapped
    call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, handles(2), error) ! trapped
  end subroutine begin

end program handed_array_cleared_in_part
