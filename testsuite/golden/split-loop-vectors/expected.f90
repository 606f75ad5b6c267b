! Loops without a loop inside are computed in vectors: only whole vectors of them run while the points of the neighbours
! travel. Of every length there is at least one, those included of which nothing is left in the middle.
! ranks: 1 2 3 4
program split_loop_vectors
  use mpi
  use gravel
  implicit none

  integer, parameter :: lengths(14) = [1, 2, 3, 63, 64, 65, 127, 128, 129, 191, 192, 193, 500, 4099]
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
    call from_zero(lengths(k))
    call from_anywhere(k - 7, k - 8 + lengths(k))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  subroutine from_one(n)
    use gravel
    integer, intent(in) :: n
    integer :: i, requests(4), error
    double precision :: u(0:longest+1), v(longest)
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    ! gravel: posted early, was line 38: call mpi_irecv(u(0), 1, mpi_double_precision, prev, 1, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(u(0), 1, mpi_double_precision, prev, 1, mpi_comm_world, requests(1))
    do i = 1, n
      u(i) = dble(mod(i * 7 + rank, 31)) / 3.0d0
    end do
    ! gravel: moved away from here, was line 38: call mpi_irecv(u(0), 1, mpi_double_precision, prev, 1, mpi...
    error = 0
    ! gravel: posted here, was line 39: call mpi_irecv(u(n+1), 1, mpi_double_precision, next, 2, mpi_comm_w...
    call gravel_post_rcv_buffer_rdma(u(n+1), 1, mpi_double_precision, next, 2, mpi_comm_world, requests(2), &
         error)
    ! gravel: sent without waiting, was line 40: call mpi_isend(u(n), 1, mpi_double_precision, next, 1, mpi...
    call gravel_post_send(u(n), 1, mpi_double_precision, next, 1, mpi_comm_world, requests(3), error)
    ! gravel: sent without waiting, was line 41: call mpi_isend(u(1), 1, mpi_double_precision, prev, 2, mpi...
    call gravel_post_send(u(1), 1, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), error)
    ! gravel: moved away from here, was line 42: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    error = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 65
    gravel_hi1 = n - mod(n - 1, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 42: call mpi_waitall(4, ...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = 1
          gravel_hi1 = min(64, n)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(65, n - mod(n - 1, 64))
          gravel_hi1 = n
       end if
       do i = gravel_lo1, gravel_hi1
         v(i) = u(i) + 0.3d0 * (u(i-1) - 2.0d0 * u(i) + u(i+1))
       end do
    end do
    do i = 1, n
      checksum = checksum + v(i) * dble(mod(i, 13))
    end do
    ! gravel: the wait moved here, was line 42: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
  end subroutine from_one

  subroutine from_zero(n)
    use gravel
    integer, intent(in) :: n
    integer :: i, requests(4), error
    real :: u(-1:longest), v(0:longest-1)
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    ! gravel: posted early, was line 59: call mpi_irecv(u(-1), 1, mpi_real, prev, 3, mpi_comm_world, reques...
    call gravel_post_rcv_buffer_rdma(u(-1), 1, mpi_real, prev, 3, mpi_comm_world, requests(1))
    do i = 0, n - 1
      u(i) = real(mod(i * 5 + rank, 29)) / 7.0
    end do
    ! gravel: moved away from here, was line 59: call mpi_irecv(u(-1), 1, mpi_real, prev, 3, mpi_comm_world...
    error = 0
    ! gravel: posted here, was line 60: call mpi_irecv(u(n), 1, mpi_real, next, 4, mpi_comm_world, requests...
    call gravel_post_rcv_buffer_rdma(u(n), 1, mpi_real, next, 4, mpi_comm_world, requests(2), error)
    ! gravel: sent without waiting, was line 61: call mpi_isend(u(n-1), 1, mpi_real, next, 3, mpi_comm_worl...
    call gravel_post_send(u(n-1), 1, mpi_real, next, 3, mpi_comm_world, requests(3), error)
    ! gravel: sent without waiting, was line 62: call mpi_isend(u(0), 1, mpi_real, prev, 4, mpi_comm_world,...
    call gravel_post_send(u(0), 1, mpi_real, prev, 4, mpi_comm_world, requests(4), error)
    ! gravel: moved away from here, was line 63: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    error = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 64
    gravel_hi1 = (n - 1) - mod(n - 1, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 63: call mpi_waitall(4, ...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = 0
          gravel_hi1 = min(63, n - 1)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(64, (n - 1) - mod(n - 1, 64))
          gravel_hi1 = n - 1
       end if
       do i = gravel_lo1, gravel_hi1
         v(i) = 0.6 * u(i) + 0.2 * u(i-1) + 0.2 * u(i+1)
       end do
    end do
    do i = 0, n - 1
      checksum = checksum + v(i) * dble(mod(i, 11))
    end do
    ! gravel: the wait moved here, was line 63: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
  end subroutine from_zero

  ! What stands behind the loop sees how far it has counted.
  subroutine from_anywhere(first, last)
    use gravel
    integer, intent(in) :: first, last
    integer :: i, requests(4), error
    double precision :: u(-10:longest+10), v(-10:longest+10)
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    ! gravel: posted early, was line 81: call mpi_irecv(u(first-1), 1, mpi_double_precision, prev, 5, mpi_c...
    call gravel_post_rcv_buffer_rdma(u(first-1), 1, mpi_double_precision, prev, 5, mpi_comm_world, &
         requests(1))
    do i = first, last
      u(i) = dble(mod(i * 3 + rank + 100, 37)) / 9.0d0
    end do
    ! gravel: moved away from here, was line 81: call mpi_irecv(u(first-1), 1, mpi_double_precision, prev, ...
    error = 0
    ! gravel: posted here, was line 82: call mpi_irecv(u(last+1), 1, mpi_double_precision, next, 6, mpi_com...
    call gravel_post_rcv_buffer_rdma(u(last+1), 1, mpi_double_precision, next, 6, mpi_comm_world, requests(2), &
         error)
    ! gravel: sent without waiting, was line 83: call mpi_isend(u(last), 1, mpi_double_precision, next, 5, ...
    call gravel_post_send(u(last), 1, mpi_double_precision, next, 5, mpi_comm_world, requests(3), error)
    ! gravel: sent without waiting, was line 84: call mpi_isend(u(first), 1, mpi_double_precision, prev, 6,...
    call gravel_post_send(u(first), 1, mpi_double_precision, prev, 6, mpi_comm_world, requests(4), error)
    ! gravel: moved away from here, was line 85: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    error = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = first + 64
    gravel_hi1 = last - mod(last - first, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 85: call mpi_waitall(4, ...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = first
          gravel_hi1 = min(first + 63, last)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(first + 64, last - mod(last - first, 64))
          gravel_hi1 = last
       end if
       do i = gravel_lo1, gravel_hi1
         v(i) = 0.7d0 * u(i) + 0.15d0 * (u(i-1) + u(i+1))
       end do
    end do
    i = max(first, last + 1)
    checksum = checksum + dble(i)
    do i = first, last
      checksum = checksum + v(i) * dble(mod(i + 100, 17))
    end do
    ! gravel: the wait moved here, was line 85: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
  end subroutine from_anywhere

end program split_loop_vectors
