! Loops without a loop inside, of stencils that reach further than to the next point: whole vectors of them run while the
! points of the neighbours travel, and as many at the end as need them run behind the wait. Of every length there is at least
! one, those included of which nothing is left in the middle.
! ranks: 1 2 3 4
program split_loop_deep_vectors
  use mpi
  implicit none

  integer, parameter :: lengths(24) = [1, 2, 3, 4, 5, 62, 63, 64, 65, 66, 67, 68, 127, 128, 129, 130, 131, 132, 191, 192, &
                                       193, 194, 500, 4099]
  integer, parameter :: longest = 4099
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do k = 1, size(lengths)
    call from_one(lengths(k))
    call from_anywhere(k - 7, k - 8 + lengths(k))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  call mpi_finalize(ierr)

contains

  ! Two points on either side.
  subroutine from_one(n)
    integer, intent(in) :: n
    integer :: i, requests(4), error
    double precision :: u(-1:longest+2), v(longest), ends(4)

    do i = 1, n
      u(i) = dble(mod(i * 7 + rank, 31)) / 3.0d0
    end do
    ends = [u(1), u(min(2, n)), u(max(n - 1, 1)), u(n)]
    call mpi_irecv(u(-1), 2, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), error)
    call mpi_irecv(u(n+1), 2, mpi_double_precision, next, 2, mpi_comm_world, requests(2), error)
    call mpi_isend(ends(3), 2, mpi_double_precision, next, 1, mpi_comm_world, requests(3), error)
    call mpi_isend(ends(1), 2, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), error)
    call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    do i = 1, n
      v(i) = u(i) + 0.3d0 * (16.0d0 * (u(i-1) + u(i+1)) - u(i-2) - u(i+2) - 30.0d0 * u(i))
    end do
    do i = 1, n
      checksum = checksum + v(i) * dble(mod(i, 13))
    end do
  end subroutine from_one

  ! Only points behind are needed, three of them. What stands behind the loop sees how far it has counted.
  subroutine from_anywhere(first, last)
    integer, intent(in) :: first, last
    integer :: i, request, error
    double precision :: u(-10:longest+30), v(-10:longest+30), ends(3)

    do i = first, last
      u(i) = dble(mod(i * 3 + rank + 100, 37)) / 9.0d0
    end do
    ends = [u(first), u(min(first + 1, last)), u(min(first + 2, last))]
    call mpi_irecv(u(last+1), 3, mpi_double_precision, next, 3, mpi_comm_world, request, error)
    call mpi_send(ends, 3, mpi_double_precision, prev, 3, mpi_comm_world, error)
    call mpi_wait(request, mpi_status_ignore, error)
    do i = first, last
      v(i) = 0.7d0 * u(i) + 0.15d0 * (u(i+1) + u(i+3))
    end do
    checksum = checksum + dble(i)
    do i = first, last
      checksum = checksum + v(i) * dble(mod(i + 100, 17))
    end do
  end subroutine from_anywhere

end program split_loop_deep_vectors
