! The field is allocated with what each process works out: how long its columns are, and how many it has, are known all
! the same, and the columns inside are computed while the halo travels.
program allocated_field
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, nx, columns, mine, i, j, step
  integer :: requests(4)
  double precision, allocatable :: u(:, :), v(:, :)
  double precision :: checksum, checksums(max_ranks)
  integer :: gravel_lo1, gravel_hi1, gravel_part1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  if (rank == 0) then
    nx = 120
    columns = 90 * ranks
  end if
  call mpi_bcast(nx, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_bcast(columns, 1, mpi_integer, 0, mpi_comm_world, ierr)
  mine = columns / ranks
  allocate (u(0:nx+1, 0:mine+1), v(0:nx+1, 0:mine+1))
  do j = 0, mine + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = u
  do step = 1, 4
    ! gravel: posted here, was line 34: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm...
    call gravel_post_rcv_buffer_rdma(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 35: call mpi_irecv(u(1, mine + 1), nx, mpi_double_precision, next, 2, m...
    call gravel_post_rcv_buffer_rdma(u(1, mine + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 36: call mpi_isend(u(1, mine), nx, mpi_double_precision, next,...
    call gravel_post_send(u(1, mine), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 37: call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2,...
    call gravel_post_send(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 38: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = mine - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, was line 38: call mpi_waitall(4, r...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = 1
          gravel_hi1 = min(1, mine)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, mine)
          gravel_hi1 = mine
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, nx
           v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
         end do
       end do
    end do
    ! gravel: the wait moved here, was line 38: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    do j = 1, mine
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  checksum = 0.0d0
  do j = 1, mine
    do i = 1, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
    end do
  end do
  deallocate (u, v)

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
end program allocated_field
