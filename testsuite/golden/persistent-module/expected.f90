! The exchange of a module with procedures that prepare it, start it, finish it and release it. Between its start and its end
! the main program computes what needs no neighbour.
module halo
  use mpi
  implicit none
  private
  public :: n, from_left, from_right, setup, start, finish, release

  integer, parameter :: n = 30000
  integer, parameter :: dp = mpi_double_precision
  integer :: requests(4)
  double precision :: from_left(n), from_right(n), to_left(n), to_right(n)

contains

  subroutine setup(left, right)
    integer, intent(in) :: left, right
    integer :: ierr

    call mpi_recv_init(from_left, n, dp, left, 1, mpi_comm_world, requests(1), ierr)
    call mpi_recv_init(from_right, n, dp, right, 2, mpi_comm_world, requests(2), ierr)
    call mpi_send_init(to_right, n, dp, right, 1, mpi_comm_world, requests(3), ierr)
    call mpi_send_init(to_left, n, dp, left, 2, mpi_comm_world, requests(4), ierr)
  end subroutine setup

  subroutine start(field)
    double precision, intent(in) :: field(n)
    integer :: i, ierr

    do i = 1, n
      to_right(i) = 2.0d0 * field(i)
      to_left(i) = 3.0d0 * field(i)
    end do
    call mpi_startall(4, requests, ierr)
  end subroutine start

  subroutine finish
    integer :: ierr

    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  end subroutine finish

  subroutine release
    integer :: i, ierr

    do i = 1, 4
      call mpi_request_free(requests(i), ierr)
    end do
  end subroutine release

end module halo

program persistent_module
  use mpi
  use halo
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, ierr, i, step
  double precision :: field(n), inner, checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call setup(mod(rank - 1 + ranks, ranks), mod(rank + 1, ranks))
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
  call release
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
end program persistent_module
