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
    use gravel
    integer, intent(in) :: columns, rows, comm, left, right
    double precision, intent(in) :: u(0:columns + 1, rows)
    integer, intent(out) :: requests(4)
    integer :: j, ierr
    integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
    integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

    ! gravel: posted here, was line 33: call mpi_irecv(from_left, rows, mpi_double_precision, left, 1, comm...
    call gravel_post_rcv_buffer_rdma(from_left, rows, mpi_double_precision, left, 1, comm, requests(1), ierr)
    ! gravel: posted here, was line 34: call mpi_irecv(from_right, rows, mpi_double_precision, right, 2, co...
    call gravel_post_rcv_buffer_rdma(from_right, rows, mpi_double_precision, right, 2, comm, requests(2), &
         ierr)
    ! gravel: one handshake, a put per tile, was line 38: call mpi_isend(to_left, rows, mpi_double_precisio...
    call gravel_wait_rcv_buffer(to_left, rows, mpi_double_precision, left, 2, comm, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, rows)
    do gravel_lo1 = 1, rows, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, rows - gravel_lo1)
       do j = gravel_lo1, gravel_hi1
         to_left(j) = u(1, j)
       end do
       call gravel_post_os_put(gravel_t1, to_left, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 38: call mpi_isend(to_left, rows, mpi_double_precision, lef...
    call gravel_send_fin(gravel_t1, requests(3), ierr)
    ! gravel: one handshake, a put per tile, was line 42: call mpi_isend(to_right, rows, mpi_double_precisi...
    call gravel_wait_rcv_buffer(to_right, rows, mpi_double_precision, right, 1, comm, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, rows)
    do gravel_lo2 = 1, rows, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, rows - gravel_lo2)
       do j = gravel_lo2, gravel_hi2
         to_right(j) = u(columns, j)
       end do
       call gravel_post_os_put(gravel_t2, to_right, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: sent tile by tile above, was line 42: call mpi_isend(to_right, rows, mpi_double_precision, ri...
    call gravel_send_fin(gravel_t2, requests(4), ierr)
  end subroutine halo_start

  subroutine halo_finish(u, columns, rows, left, right, requests)
    use gravel
    integer, intent(in) :: columns, rows, left, right
    double precision, intent(inout) :: u(0:columns + 1, rows)
    integer, intent(inout) :: requests(:)
    integer :: ierr

    ! gravel: waits here, was line 51: call mpi_waitall(size(requests), requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(size(requests), requests, ierr)
    call gravel_f_sync_reg(from_left)
    call gravel_f_sync_reg(from_right)
    call gravel_f_sync_reg(to_left)
    call gravel_f_sync_reg(to_right)
    if (left /= mpi_proc_null) u(0, :) = from_left
    if (right /= mpi_proc_null) u(columns + 1, :) = from_right
  end subroutine halo_finish

end module halo

program handed_request_arrays
  use mpi
  use halo
  use gravel
  implicit none

  integer, parameter :: columns = 24, rows = 20000
  integer, parameter :: max_ranks = 16
  double precision :: u(0:columns + 1, rows), v(columns, rows), checksum, checksums(max_ranks)
  integer :: requests(4), ierr, rank, ranks, left, right, i, j, step

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program handed_request_arrays
