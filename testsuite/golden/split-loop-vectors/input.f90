! Loops without a loop inside are computed in vectors: only whole vectors of them run while the points of the neighbours
! travel. Of every length there is at least one, those included of which nothing is left in the middle.
! ranks: 1 2 3 4
program split_loop_vectors
  use mpi
  implicit none

  integer, parameter :: lengths(14) = [1, 2, 3, 63, 64, 65, 127, 128, 129, 191, 192, 193, 500, 4099]
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
    call from_zero(lengths(k))
    call from_anywhere(k - 7, k - 8 + lengths(k))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  call mpi_finalize(ierr)

contains

  subroutine from_one(n)
    integer, intent(in) :: n
    integer :: i, requests(4), error
    double precision :: u(0:longest+1), v(longest)

    do i = 1, n
      u(i) = dble(mod(i * 7 + rank, 31)) / 3.0d0
    end do
    call mpi_irecv(u(0), 1, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), error)
    call mpi_irecv(u(n+1), 1, mpi_double_precision, next, 2, mpi_comm_world, requests(2), error)
    call mpi_isend(u(n), 1, mpi_double_precision, next, 1, mpi_comm_world, requests(3), error)
    call mpi_isend(u(1), 1, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), error)
    call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    do i = 1, n
      v(i) = u(i) + 0.3d0 * (u(i-1) - 2.0d0 * u(i) + u(i+1))
    end do
    do i = 1, n
      checksum = checksum + v(i) * dble(mod(i, 13))
    end do
  end subroutine from_one

  subroutine from_zero(n)
    integer, intent(in) :: n
    integer :: i, requests(4), error
    real :: u(-1:longest), v(0:longest-1)

    do i = 0, n - 1
      u(i) = real(mod(i * 5 + rank, 29)) / 7.0
    end do
    call mpi_irecv(u(-1), 1, mpi_real, prev, 3, mpi_comm_world, requests(1), error)
    call mpi_irecv(u(n), 1, mpi_real, next, 4, mpi_comm_world, requests(2), error)
    call mpi_isend(u(n-1), 1, mpi_real, next, 3, mpi_comm_world, requests(3), error)
    call mpi_isend(u(0), 1, mpi_real, prev, 4, mpi_comm_world, requests(4), error)
    call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    do i = 0, n - 1
      v(i) = 0.6 * u(i) + 0.2 * u(i-1) + 0.2 * u(i+1)
    end do
    do i = 0, n - 1
      checksum = checksum + v(i) * dble(mod(i, 11))
    end do
  end subroutine from_zero

  ! What stands behind the loop sees how far it has counted.
  subroutine from_anywhere(first, last)
    integer, intent(in) :: first, last
    integer :: i, requests(4), error
    double precision :: u(-10:longest+10), v(-10:longest+10)

    do i = first, last
      u(i) = dble(mod(i * 3 + rank + 100, 37)) / 9.0d0
    end do
    call mpi_irecv(u(first-1), 1, mpi_double_precision, prev, 5, mpi_comm_world, requests(1), error)
    call mpi_irecv(u(last+1), 1, mpi_double_precision, next, 6, mpi_comm_world, requests(2), error)
    call mpi_isend(u(last), 1, mpi_double_precision, next, 5, mpi_comm_world, requests(3), error)
    call mpi_isend(u(first), 1, mpi_double_precision, prev, 6, mpi_comm_world, requests(4), error)
    call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    do i = first, last
      v(i) = 0.7d0 * u(i) + 0.15d0 * (u(i-1) + u(i+1))
    end do
    checksum = checksum + dble(i)
    do i = first, last
      checksum = checksum + v(i) * dble(mod(i + 100, 17))
    end do
  end subroutine from_anywhere

end program split_loop_vectors
