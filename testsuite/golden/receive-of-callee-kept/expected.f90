! Receives at the beginning of procedures that their callers can't post, each for another reason.
module takers
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, me, others
  integer, private :: hidden_source
  double precision :: total = 0.0d0

contains

  subroutine begin()
    call mpi_comm_rank(mpi_comm_world, me, ierr)
    call mpi_comm_size(mpi_comm_world, others, ierr)
    hidden_source = modulo(me - 1, others)
  end subroutine begin

  subroutine add_up(a)
    double precision, intent(in) :: a(n)

    total = total + sum(a)
  end subroutine add_up

  ! Loses what it holds at the call.
  subroutine take_undefined(a, source)
    use gravel
    double precision, intent(out) :: a(n)
    integer, intent(in) :: source
    integer(gravel_request_kind) :: gravel_r1

    ! gravel: posted here, was line 30: call mpi_recv(a, n, mpi_double_precision, source, 1, mpi_comm_world...
    call gravel_post_rcv_buffer_rdma(a, n, mpi_double_precision, source, 1, mpi_comm_world, gravel_r1)
    call gravel_wait(gravel_r1, a, ierr)
    call add_up(a)
  end subroutine take_undefined

  ! The caller has no name for the source.
  subroutine take_from_hidden(a)
    use gravel
    double precision, intent(inout) :: a(n)
    integer(gravel_request_kind) :: gravel_r1

    ! gravel: posted here, was line 38: call mpi_recv(a, n, mpi_double_precision, hidden_source, 2, mpi_com...
    call gravel_post_rcv_buffer_rdma(a, n, mpi_double_precision, hidden_source, 2, mpi_comm_world, gravel_r1)
    call gravel_wait(gravel_r1, a, ierr)
    call add_up(a)
  end subroutine take_from_hidden

  ! Called with a section.
  subroutine take_column(a, source)
    use gravel
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source
    integer(gravel_request_kind) :: gravel_r1

    ! gravel: posted here, was line 47: call mpi_recv(a, n, mpi_double_precision, source, 3, mpi_comm_world...
    call gravel_post_rcv_buffer_rdma(a, n, mpi_double_precision, source, 3, mpi_comm_world, gravel_r1)
    call gravel_wait(gravel_r1, a, ierr)
    call add_up(a)
  end subroutine take_column

  ! Another argument is computed from the buffer; one comes from a function.
  subroutine take_scaled(a, source, factor)
    use gravel
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source
    double precision, intent(in) :: factor
    integer(gravel_request_kind) :: gravel_r1

    ! gravel: posted here, was line 57: call mpi_recv(a, n, mpi_double_precision, source, 4, mpi_comm_world...
    call gravel_post_rcv_buffer_rdma(a, n, mpi_double_precision, source, 4, mpi_comm_world, gravel_r1)
    call gravel_wait(gravel_r1, a, ierr)
    total = total + factor
    call add_up(a)
  end subroutine take_scaled

  ! There is nothing above the call that it could be posted over.
  subroutine take_at_once(a, source)
    use gravel
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source
    integer(gravel_request_kind) :: gravel_r1

    ! gravel: posted here, was line 67: call mpi_recv(a, n, mpi_double_precision, source, 5, mpi_comm_world...
    call gravel_post_rcv_buffer_rdma(a, n, mpi_double_precision, source, 5, mpi_comm_world, gravel_r1)
    call gravel_wait(gravel_r1, a, ierr)
    call add_up(a)
  end subroutine take_at_once

  ! Into memory of its own.
  subroutine take_for_itself(source)
    use gravel
    integer, intent(in) :: source
    double precision :: a(n)
    integer(gravel_request_kind) :: gravel_r1

    ! gravel: posted here, was line 76: call mpi_recv(a, n, mpi_double_precision, source, 6, mpi_comm_world...
    call gravel_post_rcv_buffer_rdma(a, n, mpi_double_precision, source, 6, mpi_comm_world, gravel_r1)
    call gravel_wait(gravel_r1, a, ierr)
    call add_up(a)
  end subroutine take_for_itself

  double precision function taken(a, source)
    use gravel
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source
    integer(gravel_request_kind) :: gravel_r1

    ! gravel: posted here, was line 84: call mpi_recv(a, n, mpi_double_precision, source, 7, mpi_comm_world...
    call gravel_post_rcv_buffer_rdma(a, n, mpi_double_precision, source, 7, mpi_comm_world, gravel_r1)
    call gravel_wait(gravel_r1, a, ierr)
    taken = sum(a)
  end function taken

end module takers

program receive_of_callee_kept
  use mpi
  use takers, only: begin, take_undefined, take_from_hidden, take_column, take_scaled, take_at_once, take_for_itself, &
    taken, total, n
  use gravel
  implicit none

  integer :: rank, ranks, left, right, ierr, i, tag
  integer :: requests(8)
  double precision :: a(n), wide(n, 2), outgoing(n, 8), work(n), totals(16)
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call begin()
  a = 1.0d0
  wide = 2.0d0
  do tag = 1, 8
    ! gravel: one handshake, a put per tile, was line 112: call mpi_isend(outgoing(1, tag), n, mpi_double_p...
    call gravel_wait_rcv_buffer(outgoing(1, tag), n, mpi_double_precision, right, min(tag, 7), mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i, tag) = rank + 1 + 0.5d0 * mod(i, tag + 3)
       end do
       call gravel_post_os_put(gravel_t1, outgoing(1, tag), gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 112: call mpi_isend(outgoing(1, tag), n, mpi_double_precisi...
    call gravel_send_fin(gravel_t1, requests(tag), ierr)
  end do
  do i = 1, n
    work(i) = sqrt(dble(i))
  end do
  call take_undefined(a, left)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i))
  end do
  call take_from_hidden(a)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i))
  end do
  call take_column(wide(:, 2), left)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i))
  end do
  call take_scaled(a, left, 2.0d0 * a(1))
  a(1) = rank
  call take_at_once(a, left)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i))
  end do
  call take_for_itself(left)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i))
  end do
  total = total + taken(a, left)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i))
  end do
  total = total + taken(a, left) + sum(work)
  ! gravel: waits here, was line 144: call mpi_waitall(8, requests, mpi_statuses_ignore, ierr)
  call gravel_waitall(8, requests, ierr)
  call gravel_f_sync_reg(outgoing)
  call mpi_gather(total, 1, mpi_double_precision, totals, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' total ', totals(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program receive_of_callee_kept
