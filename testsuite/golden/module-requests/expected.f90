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
    use gravel
    double precision, intent(in) :: field(n)
    integer :: i, ierr
    integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
    integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

    ! gravel: posted here, was line 28: call mpi_irecv(from_left, n, dp, left, 1, mpi_comm_world, requests(...
    call gravel_post_rcv_buffer_rdma(from_left, n, dp, left, 1, mpi_comm_world, requests(1), ierr)
    ! gravel: posted here, was line 29: call mpi_irecv(from_right, n, dp, right, 2, mpi_comm_world, request...
    call gravel_post_rcv_buffer_rdma(from_right, n, dp, right, 2, mpi_comm_world, requests(2), ierr)
    ! gravel: one handshake, a put per tile, was line 33: call mpi_isend(to_right, n, dp, right, 1, mpi_com...
    call gravel_wait_rcv_buffer(to_right, n, dp, right, 1, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         to_right(i) = 2.0d0 * field(i)
       end do
       call gravel_post_os_put(gravel_t1, to_right, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 33: call mpi_isend(to_right, n, dp, right, 1, mpi_comm_worl...
    call gravel_send_fin(gravel_t1, requests(3), ierr)
    ! gravel: one handshake, a put per tile, was line 37: call mpi_isend(to_left, n, dp, left, 2, mpi_comm_...
    call gravel_wait_rcv_buffer(to_left, n, dp, left, 2, mpi_comm_world, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         to_left(i) = 3.0d0 * field(i)
       end do
       call gravel_post_os_put(gravel_t2, to_left, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: sent tile by tile above, was line 37: call mpi_isend(to_left, n, dp, left, 2, mpi_comm_world,...
    call gravel_send_fin(gravel_t2, requests(4), ierr)
  end subroutine start

  subroutine finish
    use gravel
    integer :: ierr

    ! gravel: waits here, was line 43: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(4, requests, ierr)
    call gravel_f_sync_reg(from_left)
    call gravel_f_sync_reg(from_right)
    call gravel_f_sync_reg(to_right)
    call gravel_f_sync_reg(to_left)
  end subroutine finish

end module halo

program module_requests
  use mpi
  use halo, only: n, from_left, from_right, pending => requests, neighbours, start, finish
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, ierr, i, step
  double precision :: field(n), inner, checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program module_requests
