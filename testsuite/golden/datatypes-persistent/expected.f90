! Persistent messages of columns: started, the interior computed, waited for. The program asks how much has come, in datatypes and
! in their elements.
program persistent_columns
  use mpi_f08
  use gravel
  implicit none
  integer, parameter :: nx = 90, ny = 120, steps = 4
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, left, right, i, j, step, n, m, total
  type(mpi_datatype) :: column
  type(mpi_request) :: requests(4)
  type(mpi_status) :: statuses(4), status
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  call mpi_type_vector(ny, 1, nx + 2, mpi_double_precision, column)
  call mpi_type_commit(column)
  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  call mpi_recv_init(u(0, 1), 1, column, left, 1, mpi_comm_world, requests(1))
  call mpi_recv_init(u(nx + 1, 1), 1, column, right, 2, mpi_comm_world, requests(2))
  call mpi_send_init(u(nx, 1), 1, column, right, 1, mpi_comm_world, requests(3))
  call mpi_send_init(u(1, 1), 1, column, left, 2, mpi_comm_world, requests(4))
  total = 0
  do step = 1, steps
    call mpi_startall(4, requests)
    do j = 1, ny
      do i = 2, nx - 1
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    call mpi_waitall(4, requests, statuses)
    call mpi_get_count(statuses(1), column, n)
    call mpi_get_elements(statuses(2), column, m)
    total = total + n + 1000 * m
    do j = 1, ny
      v(1, j) = 0.25d0 * (u(0, j) + u(2, j) + u(1, j-1) + u(1, j+1))
      v(nx, j) = 0.25d0 * (u(nx-1, j) + u(nx+1, j) + u(nx, j-1) + u(nx, j+1))
    end do
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  do i = 1, 4
    call mpi_request_free(requests(i))
  end do
  ! gravel: receives and sends here, was line 56: call mpi_sendrecv(u(1, 1), 1, column, left, 5, u(nx + 1, ...
  call gravel_post_rcv_buffer_rdma(u(nx + 1, 1), 1, column, right, 5, mpi_comm_world, gravel_r1)
  call gravel_post_send(u(1, 1), 1, column, left, 5, mpi_comm_world, gravel_s1)
  call gravel_wait(gravel_r1, u, status)
  call mpi_get_count(status, column, n)
  call mpi_get_elements(status, column, m)
  total = total + n + 1000 * m
  call mpi_type_free(column)
  checksum = total
  do j = 1, ny
    do i = 0, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
    end do
  end do
  ! gravel: the wait moved here, was line 56: call mpi_sendrecv(u(1, 1), 1, column, left, 5, u(nx + 1, 1), ...
  call gravel_wait(gravel_s1, u)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program persistent_columns
