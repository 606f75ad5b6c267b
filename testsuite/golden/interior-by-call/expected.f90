! The columns inside and those at the borders are computed by calls of one procedure, which works on arrays of its module:
! the first call needs nothing that is on its way.
module fields
  implicit none
  integer :: nx, columns
  double precision, allocatable :: u(:, :), v(:, :)

contains

  subroutine set_up(rank)
    integer, intent(in) :: rank
    integer :: i, j

    nx = 100
    columns = 60
    allocate (u(0:nx+1, 0:columns+1), v(0:nx+1, 0:columns+1))
    do j = 0, columns + 1
      do i = 0, nx + 1
        u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
      end do
    end do
    v = u
  end subroutine set_up

  subroutine sweep(first, last)
    integer, intent(in) :: first, last
    integer :: i, j

    do j = first, last
      do i = 1, nx
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
  end subroutine sweep

  subroutine copy_back()
    u(1:nx, 1:columns) = v(1:nx, 1:columns)
  end subroutine copy_back

end module fields

program interior_by_call
  use mpi
  use fields
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step
  integer :: requests(4)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  call set_up(rank)
  do step = 1, 4
    ! gravel: posted here, was line 60: call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm...
    call gravel_post_rcv_buffer_rdma(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 61: call mpi_irecv(u(1, columns + 1), nx, mpi_double_precision, next, 2...
    call gravel_post_rcv_buffer_rdma(u(1, columns + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent without waiting, was line 62: call mpi_isend(u(1, columns), nx, mpi_double_precision, ne...
    call gravel_post_send(u(1, columns), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 63: call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2,...
    call gravel_post_send(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 64: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    call sweep(2, columns - 1)
    ! gravel: the wait moved here, was line 64: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(1), u)
    call gravel_wait(requests(2), u)
    call sweep(1, 1)
    call sweep(columns, columns)
    ! gravel: the wait moved here, was line 64: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    call copy_back()
  end do
  checksum = 0.0d0
  do j = 1, columns
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
end program interior_by_call
