! Parts of arrays of a module, as MPI_Type_create_subarray describes them: a procedure sets up arrays and datatypes, another
! one exchanges, in the terms of mpi_f08. One face of the block is in the order of Fortran, the other one in that of C.
module field
  use mpi_f08
  implicit none
  integer :: nx, ny
  double precision, allocatable :: u(:, :), v(:, :)
  type(mpi_datatype) :: low_face, high_face, low_ghosts, high_ghosts
contains
  subroutine set_up(columns, rows)
    integer, intent(in) :: columns, rows
    integer :: sizes(2), subsizes(2), starts(2)
    nx = columns
    ny = rows
    allocate (u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1))
    sizes(1) = nx + 2
    sizes(2) = ny + 2
    subsizes = [1, ny]
    starts = [1, 1]
    call mpi_type_create_subarray(2, sizes, subsizes, starts, mpi_order_fortran, mpi_double_precision, low_face)
    starts(1) = nx
    call mpi_type_create_subarray(2, sizes, subsizes, starts, mpi_order_fortran, mpi_double_precision, high_face)
    call mpi_type_create_subarray(2, [ny + 2, nx + 2], [ny, 1], [1, 0], mpi_order_c, mpi_double_precision, low_ghosts)
    call mpi_type_create_subarray(2, [ny + 2, nx + 2], [ny, 1], [1, nx + 1], mpi_order_c, mpi_double_precision, &
                                  high_ghosts)
    call mpi_type_commit(low_face)
    call mpi_type_commit(high_face)
    call mpi_type_commit(low_ghosts)
    call mpi_type_commit(high_ghosts)
  end subroutine set_up

  subroutine sweep(left, right)
    use gravel
    integer, intent(in) :: left, right
    integer :: i, j
    type(mpi_request) :: requests(4)
    ! gravel: posted here, was line 36: call mpi_irecv(u, 1, low_ghosts, left, 1, mpi_comm_world, requests(1))
    call gravel_post_rcv_buffer_rdma(u, 1, low_ghosts, left, 1, mpi_comm_world, requests(1))
    ! gravel: posted here, was line 37: call mpi_irecv(u, 1, high_ghosts, right, 2, mpi_comm_world, request...
    call gravel_post_rcv_buffer_rdma(u, 1, high_ghosts, right, 2, mpi_comm_world, requests(2))
    ! gravel: sent without waiting, was line 38: call mpi_isend(u, 1, high_face, right, 1, mpi_comm_world, ...
    call gravel_post_send(u, 1, high_face, right, 1, mpi_comm_world, requests(3))
    ! gravel: sent without waiting, was line 39: call mpi_isend(u, 1, low_face, left, 2, mpi_comm_world, re...
    call gravel_post_send(u, 1, low_face, left, 2, mpi_comm_world, requests(4))
    ! gravel: moved away from here, was line 40: call mpi_waitall(4, requests, mpi_statuses_ignore)
    do j = 1, ny
      do i = 2, nx - 1
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    ! gravel: the wait moved here, was line 40: call mpi_waitall(4, requests, mpi_statuses_ignore)
    call gravel_wait(requests(1), u)
    call gravel_wait(requests(2), u)
    do j = 1, ny
      v(1, j) = 0.25d0 * (u(0, j) + u(2, j) + u(1, j-1) + u(1, j+1))
      v(nx, j) = 0.25d0 * (u(nx-1, j) + u(nx+1, j) + u(nx, j-1) + u(nx, j+1))
    end do
    ! gravel: the wait moved here, was line 40: call mpi_waitall(4, requests, mpi_statuses_ignore)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end subroutine sweep
end module field

program subarrays
  use mpi_f08
  use field
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, left, right, i, j, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  call set_up(80 + rank / 100, 110)
  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do step = 1, 4
    call sweep(left, right)
  end do
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program subarrays
