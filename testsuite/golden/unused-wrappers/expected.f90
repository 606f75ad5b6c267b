! A module of wrappers of which the program uses two: what the others do keeps nothing with MPI.
! ranks: 2 3 4
module messages
  use mpi
  implicit none
  private
  public :: post_receive, post_send, buffered_send, look_for, wait_a_moment

  interface post_receive
    module procedure post_receive_real, post_receive_integer
  end interface
  interface post_send
    module procedure post_send_real, post_send_integer
  end interface

contains

  subroutine post_receive_real(values, n, from, request)
    integer, intent(in) :: n, from
    double precision, intent(inout) :: values(n)
    integer, intent(out) :: request
    integer :: ierr
    call mpi_irecv(values, n, mpi_double_precision, from, 1, mpi_comm_world, request, ierr)
  end subroutine post_receive_real

  subroutine post_send_real(values, n, to, request)
    integer, intent(in) :: n, to
    double precision, intent(in) :: values(n)
    integer, intent(out) :: request
    integer :: ierr
    call mpi_isend(values, n, mpi_double_precision, to, 1, mpi_comm_world, request, ierr)
  end subroutine post_send_real

  subroutine post_receive_integer(values, n, from, request)
    integer, intent(in) :: n, from
    integer, intent(inout) :: values(n)
    integer, intent(out) :: request
    integer :: ierr
    call mpi_irecv(values, n, mpi_integer, from, 1, mpi_comm_world, request, ierr)
  end subroutine post_receive_integer

  subroutine post_send_integer(values, n, to, request)
    integer, intent(in) :: n, to
    integer, intent(in) :: values(n)
    integer, intent(out) :: request
    integer :: ierr
    call mpi_isend(values, n, mpi_integer, to, 1, mpi_comm_world, request, ierr)
    call count_messages(n)
  end subroutine post_send_integer

  ! Named by a procedure that never runs itself.
  subroutine count_messages(n)
    integer, intent(in) :: n
    integer :: total, ierr
    call mpi_allreduce(n, total, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
    print *, total
  end subroutine count_messages

  subroutine buffered_send(values, n, to)
    integer, intent(in) :: n, to
    double precision, intent(in) :: values(n)
    integer :: ierr
    call mpi_bsend(values, n, mpi_double_precision, to, 1, mpi_comm_world, ierr)
  end subroutine buffered_send

  subroutine look_for(from, n)
    integer, intent(out) :: from, n
    integer :: status(mpi_status_size), ierr
    call mpi_probe(mpi_any_source, mpi_any_tag, mpi_comm_world, status, ierr)
    from = status(mpi_source)
    call mpi_get_count(status, mpi_double_precision, n, ierr)
  end subroutine look_for

  ! What is called is not among the files.
  subroutine wait_a_moment(microseconds)
    use, intrinsic :: iso_c_binding, only: c_int
    integer, intent(in) :: microseconds
    interface
      subroutine suspend(microseconds) bind(c, name='usleep')
        import :: c_int
        integer(c_int), value :: microseconds
      end subroutine suspend
    end interface
    call suspend(int(microseconds, c_int))
  end subroutine wait_a_moment

end module messages

program unused_wrappers
  use mpi
  use messages, only: post_receive, post_send
  use gravel
  implicit none
  integer, parameter :: n = 30000
  integer :: ierr, rank, processes, i, step, sending, receiving
  double precision :: sent(n), received(n), other(n), sums(2)
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  do step = 1, 3
    ! gravel: posted early, was line 104: call post_receive(received, n, mod(rank + processes - 1, processe...
    call gravel_post_rcv_buffer_rdma(received, n, mpi_double_precision, mod(rank + processes - 1, processes), &
         1, mpi_comm_world, receiving)
    ! gravel: one handshake, a put per tile, was line 105: call post_send(sent, n, mod(rank + 1, processes)...
    call gravel_wait_rcv_buffer(sent, n, mpi_double_precision, mod(rank + 1, processes), 1, mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sent(i) = dble(rank + step) * dble(mod(i, 11))
       end do
       call gravel_post_os_put(gravel_t1, sent, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: moved away from here, was line 104: call post_receive(received, n, mod(rank + processes - 1, processes), receiving)
    ! gravel: sent tile by tile above, was line 105: call post_send(sent, n, mod(rank + 1, processes), send...
    call gravel_send_fin(gravel_t1, sending)
    ! gravel: moved away from here, was line 106: call mpi_wait(receiving, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: moved away from here, was line 107: call mpi_wait(sending, mpi_status_ignore, ierr)
    ierr = 0
    do i = 1, n
      other(i) = dble(mod(i, 7)) * dble(step)
    end do
    ! gravel: the wait moved here, was line 106: call mpi_wait(receiving, mpi_status_ignore, ierr)
    call gravel_wait(receiving, received)
    sums = [sum(received) * (rank + 1), sum(other)]
    ! gravel: the wait moved here, was line 107: call mpi_wait(sending, mpi_status_ignore, ierr)
    call gravel_wait(sending, sent)
    call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
    if (rank == 0) print '(i0, 2(1x, f14.1))', step, sums
  end do
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program unused_wrappers
