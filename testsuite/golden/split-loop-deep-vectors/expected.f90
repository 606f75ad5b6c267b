! Loops without a loop inside, of stencils that reach further than to the next point: whole vectors of them run while the
! points of the neighbours travel, and as many at the end as need them run behind the wait. Of every length there is at least
! one, those included of which nothing is left in the middle.
! ranks: 1 2 3 4
program split_loop_deep_vectors
  use mpi
  use gravel
  implicit none

  integer, parameter :: lengths(24) = [1, 2, 3, 4, 5, 62, 63, 64, 65, 66, 67, 68, 127, 128, 129, 130, 131, 132, 191, 192, &
                                       193, 194, 500, 4099]
  integer, parameter :: longest = 4099
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, total

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  ! Two points on either side.
  subroutine from_one(n)
    use gravel
    integer, intent(in) :: n
    integer :: i, requests(4), error
    double precision :: u(-1:longest+2), v(longest), ends(4)
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    do i = 1, n
      u(i) = dble(mod(i * 7 + rank, 31)) / 3.0d0
    end do
    ends = [u(1), u(min(2, n)), u(max(n - 1, 1)), u(n)]
    ! gravel: posted here, was line 41: call mpi_irecv(u(-1), 2, mpi_double_precision, prev, 1, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(u(-1), 2, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         error)
    ! gravel: posted here, was line 42: call mpi_irecv(u(n+1), 2, mpi_double_precision, next, 2, mpi_comm_w...
    call gravel_post_rcv_buffer_rdma(u(n+1), 2, mpi_double_precision, next, 2, mpi_comm_world, requests(2), &
         error)
    ! gravel: sent without waiting, was line 43: call mpi_isend(ends(3), 2, mpi_double_precision, next, 1, ...
    call gravel_post_send(ends(3), 2, mpi_double_precision, next, 1, mpi_comm_world, requests(3), error)
    ! gravel: sent without waiting, was line 44: call mpi_isend(ends(1), 2, mpi_double_precision, prev, 2, ...
    call gravel_post_send(ends(1), 2, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), error)
    ! gravel: moved away from here, was line 45: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    error = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 65
    gravel_hi1 = n - 1 - mod(n - 2, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 45: call mpi_waitall(4, ...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = 1
          gravel_hi1 = min(64, n)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(65, n - 1 - mod(n - 2, 64))
          gravel_hi1 = n
       end if
       do i = gravel_lo1, gravel_hi1
         v(i) = u(i) + 0.3d0 * (16.0d0 * (u(i-1) + u(i+1)) - u(i-2) - u(i+2) - 30.0d0 * u(i))
       end do
    end do
    do i = 1, n
      checksum = checksum + v(i) * dble(mod(i, 13))
    end do
    ! gravel: the wait moved here, was line 45: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    call gravel_wait(requests(3), ends)
    call gravel_wait(requests(4), ends)
  end subroutine from_one

  ! Only points behind are needed, three of them. What stands behind the loop sees how far it has counted.
  subroutine from_anywhere(first, last)
    use gravel
    integer, intent(in) :: first, last
    integer :: i, request, error
    double precision :: u(-10:longest+30), v(-10:longest+30), ends(3)
    integer(gravel_request_kind) :: gravel_s1
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    do i = first, last
      u(i) = dble(mod(i * 3 + rank + 100, 37)) / 9.0d0
    end do
    ends = [u(first), u(min(first + 1, last)), u(min(first + 2, last))]
    ! gravel: posted here, was line 64: call mpi_irecv(u(last+1), 3, mpi_double_precision, next, 3, mpi_com...
    call gravel_post_rcv_buffer_rdma(u(last+1), 3, mpi_double_precision, next, 3, mpi_comm_world, request, &
         error)
    ! gravel: sent without waiting, was line 65: call mpi_send(ends, 3, mpi_double_precision, prev, 3, mpi_...
    call gravel_post_send(ends, 3, mpi_double_precision, prev, 3, mpi_comm_world, gravel_s1, error)
    ! gravel: moved away from here, was line 66: call mpi_wait(request, mpi_status_ignore, error)
    error = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = first + 64
    gravel_hi1 = last - 2 - mod(last - (first + 2), 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 66: call mpi_wait(reques...
          call gravel_wait(request, u)
          gravel_lo1 = first
          gravel_hi1 = min(first + 63, last)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(first + 64, last - 2 - mod(last - (first + 2), 64))
          gravel_hi1 = last
       end if
       do i = gravel_lo1, gravel_hi1
         v(i) = 0.7d0 * u(i) + 0.15d0 * (u(i+1) + u(i+3))
       end do
    end do
    i = max(first, last + 1)
    checksum = checksum + dble(i)
    do i = first, last
      checksum = checksum + v(i) * dble(mod(i + 100, 17))
    end do
    ! gravel: the wait moved here, was line 65: call mpi_send(ends, 3, mpi_double_precision, prev, 3, mpi_c...
    call gravel_wait(gravel_s1, ends)
  end subroutine from_anywhere

end program split_loop_deep_vectors
