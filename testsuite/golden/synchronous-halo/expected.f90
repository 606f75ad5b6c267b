! A halo exchange of non-blocking synchronous sends in the interface of the module mpi_f08. Of the operations that are waited for
! together the waits for the receives go below the work, and so do those for the sends: nothing is in between that others see.
program halo
  use mpi_f08
  use gravel
  implicit none

  integer, parameter :: n = 2000, columns = 40
  integer :: rank, ranks, left, right, step, i, j
  type(mpi_request) :: requests(4)
  double precision :: field(n, 0:columns + 1), next(n, columns), edges(n, 2), checksum, total
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_hi1, gravel_hi2, gravel_hi3, gravel_step1, &
       gravel_step2, gravel_step3

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  left = rank - 1
  if (left < 0) left = mpi_proc_null
  right = rank + 1
  if (right == ranks) right = mpi_proc_null
  do j = 0, columns + 1
    do i = 1, n
      field(i, j) = dble(rank + 1) + dble(mod(i * j, 13)) * 0.5d0
    end do
  end do
  do step = 1, 4
    ! gravel: posted early, was line 31: call mpi_irecv(field(1, 0), n, mpi_double_precision, left, 1, mpi_...
    call gravel_post_rcv_segments(field(1, 0), n, mpi_double_precision, left, 1, mpi_comm_world, requests(1))
    ! gravel: posted early, was line 32: call mpi_irecv(field(1, columns + 1), n, mpi_double_precision, rig...
    call gravel_post_rcv_segments(field(1, columns + 1), n, mpi_double_precision, right, 2, mpi_comm_world, &
         requests(2))
    ! gravel: one handshake, a put per tile, was line 33: call mpi_issend(edges(1, 1), n, mpi_double_precis...
    call gravel_wait_rcv_buffer_synchronous(edges(1, 1), n, mpi_double_precision, left, 2, mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         edges(i, 1) = field(i, 1)
       end do
       call gravel_post_os_put(gravel_t1, edges(1, 1), gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: one handshake, a put per tile, was line 34: call mpi_issend(edges(1, 2), n, mpi_double_precis...
    call gravel_wait_rcv_buffer_synchronous(edges(1, 2), n, mpi_double_precision, right, 1, mpi_comm_world, &
         gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         edges(i, 2) = field(i, columns)
       end do
       call gravel_post_os_put(gravel_t2, edges(1, 2), gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: moved away from here, was line 31: call mpi_irecv(field(1, 0), n, mpi_double_precision, left, 1, mpi_comm_world, requests(1))
    ! gravel: moved away from here, was line 32: call mpi_irecv(field(1, columns + 1), n, mpi_double_precision, right, 2, mpi_comm_world, requests(2))
    ! gravel: sent tile by tile above, was line 33: call mpi_issend(edges(1, 1), n, mpi_double_precision, l...
    call gravel_send_fin(gravel_t1, requests(3))
    ! gravel: sent tile by tile above, was line 34: call mpi_issend(edges(1, 2), n, mpi_double_precision, r...
    call gravel_send_fin(gravel_t2, requests(4))
    ! gravel: moved away from here, was line 35: call mpi_waitall(4, requests, mpi_statuses_ignore)
    do j = 2, columns - 1
      do i = 1, n
        next(i, j) = field(i, j) * 0.5d0 + (field(i, j - 1) + field(i, j + 1)) * 0.25d0
      end do
    end do
    ! gravel: waits here for what each tile reads, was line 35: call mpi_waitall(4, requests, mpi_statuses_...
    ! gravel: waits here for what each tile reads, was line 35: call mpi_waitall(4, requests, mpi_statuses_...
    gravel_step3 = gravel_tile([requests(1), requests(2)], n)
    if (gravel_step3 >= n) call gravel_wait(requests(1), field)
    if (gravel_step3 >= n) call gravel_wait(requests(2), field)
    do gravel_lo3 = 1, n, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
       if (gravel_step3 < n) call gravel_wait_range(requests(1), field, 0, gravel_hi3)
       if (gravel_step3 < n) call gravel_wait_range(requests(2), field, 0, gravel_hi3)
       do i = gravel_lo3, gravel_hi3
         next(i, 1) = field(i, 1) * 0.5d0 + (field(i, 0) + field(i, 2)) * 0.25d0
         next(i, columns) = field(i, columns) * 0.5d0 + (field(i, columns - 1) + field(i, columns + 1)) * 0.25d0
       end do
    end do
    if (gravel_step3 < n) call gravel_wait(requests(1), field)
    if (gravel_step3 < n) call gravel_wait(requests(2), field)
    do j = 1, columns
      do i = 1, n
        field(i, j) = next(i, j)
      end do
    end do
    ! gravel: the wait moved here, was line 35: call mpi_waitall(4, requests, mpi_statuses_ignore)
    call gravel_wait(requests(3), edges)
    call gravel_wait(requests(4), edges)
  end do
  checksum = 0.0d0
  do j = 1, columns
    do i = 1, n
      checksum = checksum + field(i, j) * dble(mod(i + j, 5))
    end do
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program halo
