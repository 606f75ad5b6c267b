! A Jacobi iteration on one array: a halo exchange whose waits store their statuses, which nobody reads until the end of
! the step. Each wait goes where its message is needed, and stores its own column.
program waitall_status_columns
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 300, columns = 80
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, up, down, last, i, j, step, tags
  integer :: requests(4), statuses(mpi_status_size, 0:3)
  double precision :: u(n, 0:columns + 1), v(n, 0:columns + 1)
  double precision :: checksum, checksums(max_ranks)
  integer :: gravel_lo1, gravel_hi1, gravel_part1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  up = rank + 1
  if (up == ranks) up = mpi_proc_null
  down = rank - 1
  if (down < 0) down = mpi_proc_null

  last = columns
  do j = 0, columns + 1
    do i = 1, n
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  tags = 0
  do step = 1, 4
    ! gravel: posted here, was line 31: call mpi_irecv(u(1, 0), n, mpi_double_precision, down, 1, mpi_comm_...
    call gravel_post_rcv_buffer_rdma(u(1, 0), n, mpi_double_precision, down, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 32: call mpi_irecv(u(1, last + 1), n, mpi_double_precision, up, 2, mpi_...
    call gravel_post_rcv_buffer_rdma(u(1, last + 1), n, mpi_double_precision, up, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 33: call mpi_isend(u(1, last), n, mpi_double_precision, up, 1,...
    call gravel_post_send(u(1, last), n, mpi_double_precision, up, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 34: call mpi_isend(u(1, 1), n, mpi_double_precision, down, 2, ...
    call gravel_post_send(u(1, 1), n, mpi_double_precision, down, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 35: call mpi_waitall(4, requests, statuses, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = last - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, was line 35: call mpi_waitall(4, r...
          call gravel_wait(requests(1), u, statuses(:, 0))
          call gravel_wait(requests(2), u, statuses(:, 1))
          gravel_lo1 = 1
          gravel_hi1 = min(1, last)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, last)
          gravel_hi1 = last
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 2, n - 1
           v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
         end do
       end do
    end do
    ! gravel: the wait moved here, was line 35: call mpi_waitall(4, requests, statuses, ierr)
    call gravel_wait(requests(3), u, statuses(:, 2))
    call gravel_wait(requests(4), u, statuses(:, 3))
    if (down /= mpi_proc_null) tags = tags + 10 * statuses(mpi_tag, 0)
    if (up /= mpi_proc_null) tags = tags + statuses(mpi_tag, 1)
    do j = 1, last
      do i = 2, n - 1
        u(i, j) = v(i, j)
      end do
    end do
  end do
  checksum = dble(tags)
  do j = 0, columns + 1
    do i = 1, n
      checksum = checksum + u(i, j) * dble(mod(i + j, 7))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program waitall_status_columns
