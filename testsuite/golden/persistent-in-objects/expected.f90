! Persistent operations in one type of objects, and waits for any of several requests in another one.
module pipes
  use mpi
  implicit none

  type :: pipe
    integer :: count = 0
    integer :: requests(2)
    double precision :: sent(1000), received(1000)
  end type pipe

  type :: gathering
    integer :: pending(3)
    double precision :: parts(400, 3)
  end type gathering

contains

  subroutine describe(self, next, prev)
    use gravel
    type(pipe), intent(inout) :: self
    integer, intent(in) :: next, prev
    integer :: ierr

    ! gravel: described once, for each start, was line 24: call mpi_recv_init(self%received, 1000, mpi_doub...
    call gravel_prepare_receive(self%received, 1000, mpi_double_precision, prev, 5, mpi_comm_world, &
         self%requests(1), ierr)
    ! gravel: described once, for each start, was line 25: call mpi_send_init(self%sent, 1000, mpi_double_p...
    call gravel_prepare_send(self%sent, 1000, mpi_double_precision, next, 5, mpi_comm_world, self%requests(2), &
         ierr)
  end subroutine describe

  subroutine transfer_values(self, work)
    use gravel
    type(pipe), intent(inout) :: self
    double precision, intent(inout) :: work(:)
    integer :: i, ierr

    do i = 1, 1000
      self%sent(i) = self%sent(i) + i
    end do
    ! gravel: started here, was line 36: call mpi_startall(2, self%requests, ierr)
    call gravel_f_sync_reg(self%received)
    call gravel_f_sync_reg(self%sent)
    call gravel_startall(2, self%requests, ierr)
    do i = 1, size(work)
      work(i) = work(i) * 0.5d0 + i
    end do
    ! gravel: waits here, was line 40: call mpi_waitall(2, self%requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(2, self%requests, ierr)
    call gravel_f_sync_reg(self%received)
    call gravel_f_sync_reg(self%sent)
    self%sent = self%received
    self%count = self%count + 1
  end subroutine transfer_values

  subroutine forget(self)
    use gravel
    type(pipe), intent(inout) :: self
    integer :: i, ierr

    do i = 1, 2
      ! gravel: released here, was line 50: call mpi_request_free(self%requests(i), ierr)
      call gravel_release(self%requests(i), ierr)
    end do
  end subroutine forget

  subroutine expect_parts(self, source)
    use gravel
    type(gathering), intent(inout) :: self
    integer, intent(in) :: source
    integer :: k, ierr

    do k = 1, 3
      ! gravel: posted here, was line 60: call mpi_irecv(self%parts(1, k), 400, mpi_double_precision, sourc...
      call gravel_post_rcv_buffer_rdma(self%parts(1, k), 400, mpi_double_precision, source, 20 + k, &
           mpi_comm_world, self%pending(k), ierr)
    end do
  end subroutine expect_parts

  subroutine take_parts(self, total)
    use gravel
    type(gathering), intent(inout) :: self
    double precision, intent(inout) :: total
    integer :: k, which, ierr

    do k = 1, 3
      ! gravel: waits here, was line 70: call mpi_waitany(3, self%pending, which, mpi_status_ignore, ierr)
      call gravel_waitany(3, self%pending, which, ierr)
      call gravel_f_sync_reg(self%parts)
      total = total + which * sum(self%parts(:, which))
    end do
  end subroutine take_parts
end module pipes

program main
  use mpi
  use pipes
  use gravel
  implicit none

  type(pipe) :: through
  type(gathering) :: from
  double precision :: work(3000), values(400), total, totals
  integer :: ierr, rank, ranks, k, step
  integer(gravel_request_kind) :: gravel_s1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call describe(through, mod(rank + 1, ranks), mod(rank + ranks - 1, ranks))
  through%sent = rank
  work = 0
  total = 0
  do step = 1, 5
    call transfer_values(through, work)
  end do
  call forget(through)
  call expect_parts(from, mod(rank + ranks - 1, ranks))
  do k = 1, 3
    values = k * (rank + 1)
    ! gravel: sent without waiting, was line 100: call mpi_send(values, 400, mpi_double_precision, mod(rank...
    call gravel_post_send(values, 400, mpi_double_precision, mod(rank + 1, ranks), 20 + k, mpi_comm_world, &
         gravel_s1, ierr)
    call gravel_wait(gravel_s1, values)
  end do
  call take_parts(from, total)
  total = total + sum(work) + sum(through%sent) + through%count
  call mpi_reduce(total, totals, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'sum ', totals
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program main
