! A halo exchange with checks that constants switch off: what never runs keeps nothing in its place.
module switches
  implicit none
  private
  logical, parameter, public :: debug = .false.
  logical, parameter, public :: verbose = debug .or. .false.
  integer, parameter, public :: level = 1
end module switches

module checks
  use mpi
  implicit none

contains

  ! Only called in branches that are never taken.
  subroutine compare_with_neighbour(values, n, to, from)
    integer, intent(in) :: n, to, from
    double precision, intent(in) :: values(n)
    double precision :: theirs(n)
    integer :: ierr
    call mpi_sendrecv(values, n, mpi_double_precision, to, 9, theirs, n, mpi_double_precision, from, 9, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    if (any(values /= theirs)) write (*, *) 'other values than those of rank', from
  end subroutine compare_with_neighbour

end module checks

program dead_branches
  use mpi
  use switches, only: checked => debug, verbose, level
  use checks
  use gravel
  implicit none

  integer, parameter :: n = 4000, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step, requests(2)
  double precision :: u(0:n), v(n), left, last, checksum, checksums(max_ranks)
  external :: write_picture

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 0, n
    u(i) = dble(rank) + dble(mod(i, 11))
  end do
  left = 0.0d0

  do step = 1, 5
    last = u(n)
    ! gravel: posted here, was line 52: call mpi_irecv(left, 1, mpi_double_precision, prev, 1, mpi_comm_wor...
    call gravel_post_rcv_buffer_rdma(left, 1, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: sent without waiting, was line 53: call mpi_isend(last, 1, mpi_double_precision, next, 1, mpi...
    call gravel_post_send(last, 1, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
    ! gravel: moved away from here, was line 54: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    if (verbose) write (*, *) 'step', step, 'received', left
    if (checked .and. step > 1) call write_picture(u, n)
    if (level > 2) then
      call compare_with_neighbour(u, n, next, prev)
      write (*, 100) rank, left
100   format('rank ', i0, ' received ', es12.4)
    else if (level == 2) then
      call mpi_sendrecv_replace(left, 1, mpi_double_precision, next, 8, prev, 8, mpi_comm_world, &
                                mpi_status_ignore, ierr)
    else
      v = 0.0d0
    end if
    do i = 1, n
      v(i) = v(i) + sqrt(u(i)) + 0.25d0 * dble(i)
    end do
    ! gravel: the wait moved here, was line 54: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(1), left)
    u(0) = left
    do i = 1, n
      u(i) = 0.5d0 * u(i) + 1.0d-3 * v(i) + 1.0d-6 * u(i - 1)
    end do
    ! gravel: the wait moved here, was line 54: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(2), last)
  end do
  checksum = sum(u)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

end program dead_branches
