! The requests of an exchange are variables of a module: one of its procedures posts, another one waits, and the main
! program, which sees them too, has set them to null.
module halo
  use mpi
  implicit none
  private
  public :: n, dp, from_left, from_right, requests, neighbours, start, finish

  integer, parameter :: n = 30000
  integer, parameter :: dp = mpi_double_precision
  integer :: left, right
  integer :: requests(4)
  double precision :: from_left(n), from_right(n), to_left(n), to_right(n)

contains

  subroutine neighbours(rank, ranks)
    integer, intent(in) :: rank, ranks

    left = mod(rank - 1 + ranks, ranks)
    right = mod(rank + 1, ranks)
  end subroutine neighbours

  subroutine start(field)
    double precision, intent(in) :: field(n)
    integer :: i, ierr

    call mpi_irecv(from_left, n, dp, left, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(from_right, n, dp, right, 2, mpi_comm_world, requests(2), ierr)
    do i = 1, n
      to_right(i) = 2.0d0 * field(i)
    end do
    call mpi_isend(to_right, n, dp, right, 1, mpi_comm_world, requests(3), ierr)
    do i = 1, n
      to_left(i) = 3.0d0 * field(i)
    end do
    call mpi_isend(to_left, n, dp, left, 2, mpi_comm_world, requests(4), ierr)
  end subroutine start

  subroutine finish
    integer :: ierr

    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  end subroutine finish

end module halo

program module_requests
  use mpi
  use halo, only: n, from_left, from_right, pending => requests, neighbours, start, finish
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, ierr, i, step
  double precision :: field(n), inner, checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  pending = mpi_request_null
  call neighbours(rank, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  inner = 0.0d0
  do step = 1, 4
    call start(field)
    do i = 1, n
      inner = inner + field(i)
    end do
    call finish
    do i = 1, n
      field(i) = 0.5d0 * field(i) + 0.125d0 * (from_left(i) - from_right(i))
    end do
  end do
  checksum = inner
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program module_requests
