! The neighbours lie side by side in the first dimension: what they exchange is a column of ghost cells, whose elements lie
! apart. The datatype says where, so that the interior is computed while the messages travel.
program halo_of_vectors
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 90, ny = 120, steps = 4
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, left, right, i, j, step, column
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  call mpi_type_vector(ny, 1, nx + 2, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do step = 1, steps
    ! gravel: posted early, was line 30: call mpi_sendrecv(u(nx, 1), 1, column, right, 2, u(0, 1), 1, colum...
    call gravel_post_rcv_buffer_rdma(u(0, 1), 1, column, left, 2, mpi_comm_world, gravel_r2)
    ! gravel: receives and sends here, was line 28: call mpi_sendrecv(u(1, 1), 1, column, left, 1, u(nx + 1...
    call gravel_post_rcv_buffer_rdma(u(nx + 1, 1), 1, column, right, 1, mpi_comm_world, gravel_r1)
    call gravel_post_send(u(1, 1), 1, column, left, 1, mpi_comm_world, gravel_s1, ierr)
    ! gravel: sent without waiting, was line 30: call mpi_sendrecv(u(nx, 1), 1, column, right, 2, u(0, 1), ...
    call gravel_post_send(u(nx, 1), 1, column, right, 2, mpi_comm_world, gravel_s2, ierr)
    do j = 1, ny
      do i = 2, nx - 1
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    ! gravel: the wait moved here, was line 28: call mpi_sendrecv(u(1, 1), 1, column, left, 1, u(nx + 1, 1)...
    call gravel_wait(gravel_r1, u)
    ! gravel: the wait moved here, was line 30: call mpi_sendrecv(u(nx, 1), 1, column, right, 2, u(0, 1), 1...
    call gravel_wait(gravel_r2, u)
    do j = 1, ny
      v(1, j) = 0.25d0 * (u(0, j) + u(2, j) + u(1, j-1) + u(1, j+1))
      v(nx, j) = 0.25d0 * (u(nx-1, j) + u(nx+1, j) + u(nx, j-1) + u(nx, j+1))
    end do
    ! gravel: the wait moved here, was line 28: call mpi_sendrecv(u(1, 1), 1, column, left, 1, u(nx + 1, 1)...
    call gravel_wait(gravel_s1, u)
    ! gravel: the wait moved here, was line 30: call mpi_sendrecv(u(nx, 1), 1, column, right, 2, u(0, 1), 1...
    call gravel_wait(gravel_s2, u)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  call mpi_type_free(column, ierr)
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
end program halo_of_vectors
