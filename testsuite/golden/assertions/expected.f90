! What the author knows and nobody can prove: the sum of these squares is exact, so that its order does not matter, and
! the pointers never lead to what is received.
program assertions
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 120, ny = 90
  integer :: i, j, step
  integer :: requests(4)
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1), residual
  double precision, target :: halo(nx), inner(nx), other(nx)
  double precision, pointer :: work(:)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: results(2), all_results(2, max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s3
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step2, gravel_part1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.5d0
    end do
  end do
  v = 0.0d0
  residual = 0.0d0
  inner = 1.0d0
  other = 2.0d0
  work => inner
  if (ranks > 5) work => other
  do step = 1, 3
    ! gravel: posted here, was line 35: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm...
    call gravel_post_rcv_buffer_rdma(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 36: call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi...
    call gravel_post_rcv_buffer_rdma(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 37: call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1...
    call gravel_post_send(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 38: call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2,...
    call gravel_post_send(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: posted early, was line 52: call mpi_sendrecv(u(1, 1), nx, mpi_double_precision, prev, 3, halo...
    call gravel_post_rcv_segments(halo, nx, mpi_double_precision, next, 3, mpi_comm_world, gravel_r1)
    ! gravel: moved away from here, was line 39: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    !$gravel independent(residual)
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = ny - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, was line 39: call mpi_waitall(4, r...
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
           v(i, j) = 2.0d0 * (u(i, j-1) - u(i, j+1))
           residual = residual + (v(i, j) - u(i, j))**2
         end do
       end do
    end do
    ! gravel: the wait moved here, was line 39: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = mod(abs(v(i, j)), 64.0d0)
      end do
    end do
    ! gravel: sent without waiting, was line 52: call mpi_sendrecv(u(1, 1), nx, mpi_double_precision, prev,...
    call gravel_post_send(u(1, 1), nx, mpi_double_precision, prev, 3, mpi_comm_world, gravel_s3, ierr)
    !$gravel no-alias(work)
    do i = 1, nx
      work(i) = work(i) + dble(mod(i, 5))
    end do
    ! gravel: waits here for what each tile reads, was line 52: call mpi_sendrecv(u(1, 1), nx, mpi_double_p...
    gravel_step2 = gravel_tile(gravel_r1, nx)
    if (gravel_step2 >= nx) call gravel_wait(gravel_r1, halo)
    do gravel_lo2 = 1, nx, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, nx - gravel_lo2)
       if (gravel_step2 < nx) call gravel_wait_range(gravel_r1, halo, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         u(i, ny) = halo(i)
       end do
    end do
    if (gravel_step2 < nx) call gravel_wait(gravel_r1, halo)
    ! gravel: the wait moved here, was line 52: call mpi_sendrecv(u(1, 1), nx, mpi_double_precision, prev, ...
    call gravel_wait(gravel_s3, u)
  end do
  results = [residual, sum(inner) + sum(u(1:nx, ny))]
  call mpi_gather(results, 2, mpi_double_precision, all_results, 2, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,2es24.16)') 'rank ', i - 1, all_results(:, i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program assertions
