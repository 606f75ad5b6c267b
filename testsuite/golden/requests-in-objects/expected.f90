! A halo exchange that is an object: its buffers, its neighbours and its requests are private components, and type-bound
! procedures begin and end it. There are two of them, one for each array.
module halo_exchange
  use mpi
  implicit none
  private

  type, public :: halo
    private
    integer :: n = 0, left, right, tag
    double precision, allocatable :: send_left(:), send_right(:), receive_left(:), receive_right(:)
    integer, dimension(4) :: requests = mpi_request_null
  contains
    procedure :: setup
    procedure :: start
    procedure :: finish
  end type halo

contains

  subroutine setup(self, n, tag)
    class(halo), intent(inout) :: self
    integer, intent(in) :: n, tag
    integer :: rank, ranks, ierr

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    self%n = n
    self%tag = tag
    self%left = merge(rank - 1, mpi_proc_null, rank > 0)
    self%right = merge(rank + 1, mpi_proc_null, rank < ranks - 1)
    allocate (self%send_left(n), self%send_right(n), self%receive_left(n), self%receive_right(n))
    self%receive_left = 0
    self%receive_right = 0
  end subroutine setup

  subroutine start(self, u)
    use gravel
    class(halo), intent(inout) :: self
    double precision, intent(in) :: u(:, 0:)
    integer :: last, ierr
    integer(gravel_request_kind) :: gravel_s1

    last = ubound(u, 2) - 1
    ! gravel: posted here, was line 43: call mpi_irecv(self%receive_left, self%n, mpi_double_precision, sel...
    call gravel_post_rcv_buffer_rdma(self%receive_left, self%n, mpi_double_precision, self%left, self%tag, &
         mpi_comm_world, self%requests(1), ierr)
    ! gravel: posted here, was line 45: call mpi_irecv(self%receive_right, self%n, mpi_double_precision, se...
    call gravel_post_rcv_buffer_rdma(self%receive_right, self%n, mpi_double_precision, self%right, self%tag, &
         mpi_comm_world, self%requests(2), ierr)
    self%send_left = u(:, 1)
    ! gravel: sent here, where it is complete, was line 49: call mpi_isend(self%send_left, self%n, mpi_doub...
    call gravel_post_send(self%send_left, self%n, mpi_double_precision, self%left, self%tag, mpi_comm_world, &
         gravel_s1)
    self%send_right = u(:, last)
    ! gravel: posted above, was line 49: call mpi_isend(self%send_left, self%n, mpi_double_precision, self%...
    self%requests(3) = gravel_s1
    ierr = 0
    ! gravel: sent without waiting, was line 51: call mpi_isend(self%send_right, self%n, mpi_double_precisi...
    call gravel_post_send(self%send_right, self%n, mpi_double_precision, self%right, self%tag, mpi_comm_world, &
         self%requests(4), ierr)
  end subroutine start

  subroutine finish(self, u)
    use gravel
    class(halo), intent(inout) :: self
    double precision, intent(inout) :: u(:, 0:)
    integer :: ierr

    ! gravel: waits here, was line 60: call mpi_waitall(size(self%requests), self%requests, mpi_statuses_ig...
    call gravel_waitall(size(self%requests), self%requests, ierr)
    call gravel_f_sync_reg(self%receive_left)
    call gravel_f_sync_reg(self%receive_right)
    call gravel_f_sync_reg(self%send_left)
    call gravel_f_sync_reg(self%send_right)
    u(:, 0) = self%receive_left
    u(:, ubound(u, 2)) = self%receive_right
  end subroutine finish
end module halo_exchange

program main
  use mpi
  use halo_exchange, only: exchange => halo
  use gravel
  implicit none

  integer, parameter :: rows = 500, columns = 40
  type(exchange) :: of_u, of_v
  double precision :: u(rows, 0:columns + 1), v(rows, 0:columns + 1), w(rows, 0:columns + 1), total, totals
  integer :: ierr, rank, i, j, step

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call of_u%setup(rows, 1)
  call of_v%setup(rows, 2)
  do j = 0, columns + 1
    do i = 1, rows
      u(i, j) = mod(i + 3 * j + rank, 17)
      v(i, j) = mod(i + 5 * j + rank, 13)
    end do
  end do
  w = 0
  do step = 1, 4
    call of_u%start(u)
    call of_v%start(v)
    do j = 2, columns - 1
      do i = 2, rows - 1
        w(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + v(i, j - 1) + v(i, j + 1))
      end do
    end do
    call of_v%finish(v)
    call of_u%finish(u)
    do j = 1, columns, columns - 1
      do i = 2, rows - 1
        w(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + v(i, j - 1) + v(i, j + 1))
      end do
    end do
    v(:, 1:columns) = u(:, 1:columns)
    u(:, 1:columns) = w(:, 1:columns)
  end do
  total = sum(u(:, 1:columns)) + sum(v)
  call mpi_reduce(total, totals, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'sum ', totals
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program main
