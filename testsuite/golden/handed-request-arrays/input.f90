! A halo exchange in two procedures, which get the requests as an array from those who compute in between. Each message is a
! column, packed into a buffer of the module.
module halo
  use mpi
  implicit none
  private
  public :: halo_setup, halo_start, halo_finish

  double precision, allocatable :: to_left(:), to_right(:), from_left(:), from_right(:)

contains

  subroutine halo_setup(comm, rows, left, right)
    integer, intent(in) :: comm, rows
    integer, intent(out) :: left, right
    integer :: rank, ranks, ierr

    call mpi_comm_rank(comm, rank, ierr)
    call mpi_comm_size(comm, ranks, ierr)
    left = rank - 1
    if (left < 0) left = mpi_proc_null
    right = rank + 1
    if (right == ranks) right = mpi_proc_null
    allocate (to_left(rows), to_right(rows), from_left(rows), from_right(rows))
  end subroutine halo_setup

  subroutine halo_start(u, columns, rows, comm, left, right, requests)
    integer, intent(in) :: columns, rows, comm, left, right
    double precision, intent(in) :: u(0:columns + 1, rows)
    integer, intent(out) :: requests(4)
    integer :: j, ierr

    call mpi_irecv(from_left, rows, mpi_double_precision, left, 1, comm, requests(1), ierr)
    call mpi_irecv(from_right, rows, mpi_double_precision, right, 2, comm, requests(2), ierr)
    do j = 1, rows
      to_left(j) = u(1, j)
    end do
    call mpi_isend(to_left, rows, mpi_double_precision, left, 2, comm, requests(3), ierr)
    do j = 1, rows
      to_right(j) = u(columns, j)
    end do
    call mpi_isend(to_right, rows, mpi_double_precision, right, 1, comm, requests(4), ierr)
  end subroutine halo_start

  subroutine halo_finish(u, columns, rows, left, right, requests)
    integer, intent(in) :: columns, rows, left, right
    double precision, intent(inout) :: u(0:columns + 1, rows)
    integer, intent(inout) :: requests(:)
    integer :: ierr

    call mpi_waitall(size(requests), requests, mpi_statuses_ignore, ierr)
    if (left /= mpi_proc_null) u(0, :) = from_left
    if (right /= mpi_proc_null) u(columns + 1, :) = from_right
  end subroutine halo_finish

end module halo

program handed_request_arrays
  use mpi
  use halo
  implicit none

  integer, parameter :: columns = 24, rows = 20000
  integer, parameter :: max_ranks = 16
  double precision :: u(0:columns + 1, rows), v(columns, rows), checksum, checksums(max_ranks)
  integer :: requests(4), ierr, rank, ranks, left, right, i, j, step

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call halo_setup(mpi_comm_world, rows, left, right)
  u = 0.0d0
  do j = 1, rows
    do i = 1, columns
      u(i, j) = dble(mod(i * j + rank, 19))
    end do
  end do

  do step = 1, 3
    call halo_start(u, columns, rows, mpi_comm_world, left, right, requests)
    do j = 1, rows
      do i = 2, columns - 1
        v(i, j) = 0.5d0 * u(i, j) + 0.25d0 * (u(i - 1, j) + u(i + 1, j))
      end do
    end do
    call halo_finish(u, columns, rows, left, right, requests)
    do j = 1, rows
      v(1, j) = 0.5d0 * u(1, j) + 0.25d0 * (u(0, j) + u(2, j))
      v(columns, j) = 0.5d0 * u(columns, j) + 0.25d0 * (u(columns - 1, j) + u(columns + 1, j))
    end do
    u(1:columns, :) = v
  end do

  checksum = 0.0d0
  do j = 1, rows
    do i = 1, columns
      checksum = checksum + u(i, j) * dble(mod(i + j, 7))
    end do
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program handed_request_arrays
