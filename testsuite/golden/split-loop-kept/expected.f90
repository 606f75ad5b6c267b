! Sweeps that can't be computed in two parts: one reads what has come in every column, one uses its own
! results, and one is a single loop.
program split_loop_kept
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 120, ny = 90, n = 20000
  integer :: i, j, step
  integer :: requests(4)
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1), line(0:n+1), smooth(n)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)
  integer :: gravel_lo1, gravel_hi1, gravel_part1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do i = 0, n + 1
    line(i) = dble(mod(i, 19)) + dble(rank)
  end do
  do step = 1, 4
    ! The columns of the neighbours in every column.
    ! gravel: posted here, was line 32: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm...
    call gravel_post_rcv_buffer_rdma(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 33: call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi...
    call gravel_post_rcv_buffer_rdma(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 34: call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1...
    call gravel_post_send(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 35: call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2,...
    call gravel_post_send(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: waits here, was line 36: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(1), u, ierr)
    call gravel_wait(requests(2), u, ierr)
    do j = 1, ny
      do i = 1, nx
        v(i, j) = 0.25d0 * (u(i, 0) + u(i, j-1) + u(i, j+1) + u(i, ny + 1))
      end do
    end do
    ! gravel: posted early, was line 53: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 3, mpi_com...
    call gravel_post_rcv_buffer_rdma(u(1, 0), nx, mpi_double_precision, prev, 3, mpi_comm_world, requests(1))
    ! gravel: posted early, was line 54: call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 4, mp...
    call gravel_post_rcv_buffer_rdma(u(1, ny + 1), nx, mpi_double_precision, next, 4, mpi_comm_world, &
         requests(2))
    do j = 1, ny
      do i = 1, nx
        v(i, j) = v(i, j) + u(i, j) * 0.5d0
      end do
    end do
    ! gravel: the wait moved here, was line 36: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
    ! In place: a column depends on the one before.
    ! gravel: moved away from here, was line 53: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 3,...
    ierr = 0
    ! gravel: moved away from here, was line 54: call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, nex...
    ierr = 0
    ! gravel: sent without waiting, was line 55: call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 3...
    call gravel_post_send(u(1, ny), nx, mpi_double_precision, next, 3, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 56: call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 4,...
    call gravel_post_send(u(1, 1), nx, mpi_double_precision, prev, 4, mpi_comm_world, requests(4), ierr)
    ! gravel: waits here, was line 57: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(4, requests, ierr)
    call gravel_f_sync_reg(u)
    ! gravel: posted early, was line 64: call mpi_irecv(line(0), 1, mpi_double_precision, prev, 5, mpi_comm...
    call gravel_post_rcv_buffer_rdma(line(0), 1, mpi_double_precision, prev, 5, mpi_comm_world, requests(1))
    ! gravel: posted early, was line 65: call mpi_irecv(line(n + 1), 1, mpi_double_precision, next, 6, mpi_...
    call gravel_post_rcv_buffer_rdma(line(n + 1), 1, mpi_double_precision, next, 6, mpi_comm_world, &
         requests(2))
    do j = 1, ny
      do i = 1, nx
        u(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    ! A single loop: it may be split between whole vectors only.
    ! gravel: moved away from here, was line 64: call mpi_irecv(line(0), 1, mpi_double_precision, prev, 5, ...
    ierr = 0
    ! gravel: moved away from here, was line 65: call mpi_irecv(line(n + 1), 1, mpi_double_precision, next,...
    ierr = 0
    ! gravel: sent without waiting, was line 66: call mpi_isend(line(n), 1, mpi_double_precision, next, 5, ...
    call gravel_post_send(line(n), 1, mpi_double_precision, next, 5, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 67: call mpi_isend(line(1), 1, mpi_double_precision, prev, 6, ...
    call gravel_post_send(line(1), 1, mpi_double_precision, prev, 6, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 68: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 65
    gravel_hi1 = n - mod(n - 1, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 68: call mpi_waitall(4, ...
          call gravel_wait(requests(1), line)
          call gravel_wait(requests(2), line)
          gravel_lo1 = 1
          gravel_hi1 = min(64, n)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(65, n - mod(n - 1, 64))
          gravel_hi1 = n
       end if
       do i = gravel_lo1, gravel_hi1
         smooth(i) = 0.5d0 * line(i) + 0.25d0 * (line(i - 1) + line(i + 1))
       end do
    end do
    ! gravel: the wait moved here, was line 68: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), line)
    call gravel_wait(requests(4), line)
    do i = 1, n
      line(i) = smooth(i)
    end do
  end do
  checksum = line(1) + line(n)
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
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
end program split_loop_kept
