! Requests are made in a local variable and stored at once: in a component, and in elements of one.
module halo_exchange
  use mpi
  implicit none
  private

  type, public :: halo
    private
    integer :: n = 0, left, right
    double precision, allocatable :: send_left(:), send_right(:), receive_left(:), receive_right(:)
    integer :: request_from_left, request_from_right
    integer, dimension(2) :: sends = mpi_request_null
  contains
    procedure :: set_up
    procedure :: start
    procedure :: finish
  end type halo

contains

  subroutine set_up(self, n)
    class(halo), intent(inout) :: self
    integer, intent(in) :: n
    integer :: rank, ranks, ierr

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    self%n = n
    self%left = merge(rank - 1, mpi_proc_null, rank > 0)
    self%right = merge(rank + 1, mpi_proc_null, rank < ranks - 1)
    allocate (self%send_left(n), self%send_right(n), self%receive_left(n), self%receive_right(n))
    self%receive_left = 0
    self%receive_right = 0
  end subroutine set_up

  subroutine start(self, u)
    use gravel
    class(halo), intent(inout) :: self
    double precision, intent(in) :: u(:, 0:)
    integer :: request, last, ierr, k
    integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    last = ubound(u, 2) - 1
    ! gravel: posted here, was line 42: call mpi_irecv(self%receive_left, self%n, mpi_double_precision, sel...
    call gravel_post_rcv_buffer_rdma(self%receive_left, self%n, mpi_double_precision, self%left, 1, &
         mpi_comm_world, request, ierr)
    self%request_from_left = request
    ! gravel: posted here, was line 44: call mpi_irecv(self%receive_right, self%n, mpi_double_precision, se...
    call gravel_post_rcv_buffer_rdma(self%receive_right, self%n, mpi_double_precision, self%right, 2, &
         mpi_comm_world, request, ierr)
    if (ierr /= mpi_success) print *, 'not posted', ierr
    self%request_from_right = request
    ! gravel: one handshake, a put per tile, was line 51: call mpi_isend(self%send_left, self%n, mpi_double...
    call gravel_wait_rcv_buffer(self%send_left, self%n, mpi_double_precision, self%left, 2, mpi_comm_world, &
         gravel_t1)
    ! gravel: one handshake, a put per tile, was line 53: call mpi_isend(self%send_right, self%n, mpi_doubl...
    call gravel_wait_rcv_buffer(self%send_right, self%n, mpi_double_precision, self%right, 1, mpi_comm_world, &
         gravel_t2)
    gravel_step1 = gravel_tile([gravel_t1, gravel_t2], self%n)
    do gravel_lo1 = 1, self%n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, self%n - gravel_lo1)
       do k = gravel_lo1, gravel_hi1
         self%send_left(k) = u(k, 1)
         self%send_right(k) = u(k, last)
       end do
       call gravel_post_os_put(gravel_t1, self%send_left, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
       call gravel_post_os_put(gravel_t2, self%send_right, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 51: call mpi_isend(self%send_left, self%n, mpi_double_preci...
    call gravel_send_fin(gravel_t1, request, ierr)
    self%sends(1) = request
    ! gravel: sent tile by tile above, was line 53: call mpi_isend(self%send_right, self%n, mpi_double_prec...
    call gravel_send_fin(gravel_t2, request, ierr)
    self%sends(2) = request
  end subroutine start

  subroutine finish(self, u)
    use gravel
    class(halo), intent(inout) :: self
    double precision, intent(inout) :: u(:, 0:)
    integer :: ierr

    ! gravel: waits here, was line 62: call mpi_wait(self%request_from_left, mpi_status_ignore, ierr)
    call gravel_wait_request(self%request_from_left, ierr)
    ! gravel: waits here, was line 63: call mpi_wait(self%request_from_right, mpi_status_ignore, ierr)
    call gravel_wait_request(self%request_from_right, ierr)
    if (self%left /= mpi_proc_null) u(:, 0) = self%receive_left
    if (self%right /= mpi_proc_null) u(:, ubound(u, 2)) = self%receive_right
    ! gravel: waits here, was line 66: call mpi_waitall(2, self%sends, mpi_statuses_ignore, ierr)
    call gravel_waitall(2, self%sends, ierr)
  end subroutine finish

end module halo_exchange

program stored_requests
  use mpi
  use halo_exchange
  use gravel
  implicit none

  integer, parameter :: n = 3000, columns = 8
  integer, parameter :: max_ranks = 16
  type(halo) :: border
  integer :: ierr, rank, ranks, i, j, step
  double precision :: u(n, 0:columns + 1), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call border%set_up(n)
  do j = 0, columns + 1
    do i = 1, n
      u(i, j) = dble(rank + 1) * dble(mod(i + j, 9))
    end do
  end do
  work = 0
  do step = 1, 3
    call border%start(u)
    do i = 1, n
      work(i) = work(i) + u(i, 3) * 0.5d0
    end do
    call border%finish(u)
    do i = 1, n
      u(i, 1) = 0.5d0 * (u(i, 0) + u(i, 2))
      u(i, columns) = 0.5d0 * (u(i, columns - 1) + u(i, columns + 1))
    end do
  end do
  checksum = 0.0d0
  do j = 1, columns
    do i = 1, n
      checksum = checksum + u(i, j) * dble(mod(i, 7)) + work(i)
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
end program stored_requests
