! A sweep that looks for the largest change on its way, as most do, and counts: what it accumulates is the same in
! whatever order its columns are computed.
program split_loop_accumulations
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 120, ny = 90
  integer :: i, j, step, large, most, mostly
  integer :: requests(4)
  logical :: is_even
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1)
  double precision :: change, largest, smallest, widest
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: results(5), all_results(5, max_ranks)
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
  large = 0
  most = 0
  mostly = 0
  is_even = .true.
  smallest = 1.0d30
  widest = 0.0d0
  do step = 1, 4
    largest = 0.0d0
    ! gravel: posted here, was line 37: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm...
    call gravel_post_rcv_buffer_rdma(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 38: call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi...
    call gravel_post_rcv_buffer_rdma(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 39: call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1...
    call gravel_post_send(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 40: call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2,...
    call gravel_post_send(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 41: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = ny - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, was line 41: call mpi_waitall(4, r...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = 1
          gravel_hi1 = min(1, ny)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, ny)
          gravel_hi1 = ny
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, nx
           v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
           largest = max(largest, abs(v(i, j) - u(i, j)))
           change = (v(i, j) - u(i, j))**2
           if (change < smallest) smallest = change
           if (sqrt(change) >= widest) then
             widest = sqrt(change)
           end if
           if (change > 0.25d0) large = large + 1
           most = max(most, int(change * 100.0d0))
           is_even = is_even .and. change < 1.0d3
         end do
         mostly = mostly + nint(v(1, j)) - mod(j, 3)
       end do
    end do
    ! gravel: the wait moved here, was line 41: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  results = [largest, smallest, widest, dble(large + mostly), dble(most)]
  if (.not. is_even) results(1) = -1.0d0
  call mpi_gather(results, 5, mpi_double_precision, all_results, 5, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,5es24.16)') 'rank ', i - 1, all_results(:, i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program split_loop_accumulations
