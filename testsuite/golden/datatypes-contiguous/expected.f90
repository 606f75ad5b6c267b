! A line of an array as one element of a datatype: what is sent and received is one piece of memory, and the loop is split as it
! is for the lines' own elements.
program contiguous_types
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 90, ny = 120, steps = 4
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step, line, requests(4)
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1)
  double precision :: checksum, checksums(max_ranks)
  integer :: gravel_lo1, gravel_hi1, gravel_part1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  prev = mod(rank - 1 + ranks, ranks)
  next = mod(rank + 1, ranks)
  call mpi_type_contiguous(nx, mpi_double_precision, line, ierr)
  call mpi_type_commit(line, ierr)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do step = 1, steps
    ! gravel: posted here, was line 28: call mpi_irecv(u(1, 0), 1, line, prev, 1, mpi_comm_world, requests(...
    call gravel_post_rcv_buffer_rdma(u(1, 0), 1, line, prev, 1, mpi_comm_world, requests(1), ierr)
    ! gravel: posted here, was line 29: call mpi_irecv(u(1, ny + 1), 1, line, next, 2, mpi_comm_world, requ...
    call gravel_post_rcv_buffer_rdma(u(1, ny + 1), 1, line, next, 2, mpi_comm_world, requests(2), ierr)
    ! gravel: sent without waiting, was line 30: call mpi_isend(u(1, ny), 1, line, next, 1, mpi_comm_world,...
    call gravel_post_send(u(1, ny), 1, line, next, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 31: call mpi_isend(u(1, 1), 1, line, prev, 2, mpi_comm_world, ...
    call gravel_post_send(u(1, 1), 1, line, prev, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 32: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = ny - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, was line 32: call mpi_waitall(4, r...
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
         end do
       end do
    end do
    ! gravel: the wait moved here, was line 32: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  checksum = 0.0d0
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
end program contiguous_types
