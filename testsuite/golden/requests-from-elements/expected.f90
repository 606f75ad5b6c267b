! Calls that take several requests are handed an element of an array with more than one dimension, of a pointer, of a component or of
! an array without an end: what is meant are the requests from there on, as they lie in memory.
module pools
  implicit none
  type pool
    integer :: count
    integer, pointer :: pending(:, :)
    integer :: kept(2, 2, 2)
  end type pool
end module pools

subroutine post(incoming, outgoing, n, left, right)
  use gravel
  implicit none
  include 'mpif.h'
  integer, intent(in) :: n, left, right
  double precision, intent(inout) :: incoming(n, 2), outgoing(n, 2)
  integer :: counts(1, 2), requests(4, 8, 2), side, code
  common /exchange_requests/ counts, requests
  do side = 1, 2
    counts(1, side) = 2
    ! gravel: posted here, was line 21: call mpi_irecv(incoming(1, side), n, mpi_double_precision, left, si...
    call gravel_post_rcv_buffer_rdma(incoming(1, side), n, mpi_double_precision, left, side, mpi_comm_world, &
         requests(1, 1, side), code)
    ! gravel: sent without waiting, was line 22: call mpi_isend(outgoing(1, side), n, mpi_double_precision,...
    call gravel_post_send(outgoing(1, side), n, mpi_double_precision, right, side, mpi_comm_world, requests(2, &
         1, side), code)
  end do
end subroutine post

subroutine finish
  use gravel
  implicit none
  include 'mpif.h'
  integer :: counts(1, 2), requests(4, 8, 2), statuses(mpi_status_size, 4), side, code
  common /exchange_requests/ counts, requests
  do side = 1, 2
    if (counts(1, side) > 0) then
      ! gravel: waits here, was line 33: call mpi_waitall(counts(1, side), requests(1, 1, side), statuses, ...
      call gravel_waitall(counts(1, side), requests(1, 1, side), statuses, code)
    end if
    counts(1, side) = 0
  end do
end subroutine finish

subroutine finish_any(requests, count)
  use gravel
  implicit none
  include 'mpif.h'
  integer, intent(in) :: count
  integer, intent(inout) :: requests(*)
  integer :: status(mpi_status_size), places(4), place, done, left, code
  logical :: is_done
  ! gravel: waits here, was line 46: call mpi_waitany(count, requests(1), place, status, code)
  call gravel_waitany(count, requests(1), place, status, code)
  left = count - 1
  do while (left > 0)
    ! gravel: tested here, was line 49: call mpi_testany(count, requests(1), place, is_done, mpi_status_ign...
    call gravel_testany(count, requests(1), place, is_done, code)
    if (is_done) exit
  end do
  left = left - 1
  do while (left > 0)
    ! gravel: tested here, was line 54: call mpi_testsome(count, requests(1), done, places, mpi_statuses_ig...
    call gravel_testsome(count, requests(1), done, places, code)
    left = left - done
  end do
end subroutine finish_any

program requests_from_elements
  use pools
  use gravel
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 20000, max_ranks = 16
  double precision :: incoming(n, 2), outgoing(n, 2), checksum, checksums(max_ranks)
  type(pool) :: pools_of(2)
  integer, pointer :: pending(:, :)
  integer, target :: table(2, 2)
  integer :: status(mpi_status_size), statuses(mpi_status_size, 4), places(4), persistent(2, 1, 2)
  integer :: code, rank, ranks, left, right, i, side, step, place, done
  logical :: all_done

  call mpi_init(code)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  call mpi_comm_size(mpi_comm_world, ranks, code)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  checksum = 0.0d0
  pending => table
  allocate (pools_of(2)%pending(2, 2))
  do side = 1, 2
    ! gravel: described once, for each start, was line 81: call mpi_recv_init(incoming(1, side), n, mpi_dou...
    call gravel_prepare_receive(incoming(1, side), n, mpi_double_precision, left, side, mpi_comm_world, &
         persistent(1, 1, side), code)
    ! gravel: described once, for each start, was line 82: call mpi_send_init(outgoing(1, side), n, mpi_dou...
    call gravel_prepare_send(outgoing(1, side), n, mpi_double_precision, right, side, mpi_comm_world, &
         persistent(2, 1, side), code)
  end do
  do step = 1, 6
    do side = 1, 2
      do i = 1, n
        outgoing(i, side) = dble(mod(i + step, 9) + rank*side)
      end do
    end do
    select case (step)
    case (1)
      call post(incoming, outgoing, n, left, right)
      call finish
    case (2)
      do side = 1, 2
        ! gravel: posted here, was line 96: call mpi_irecv(incoming(1, side), n, mpi_double_precision, left...
        call gravel_post_rcv_buffer_rdma(incoming(1, side), n, mpi_double_precision, left, side, &
             mpi_comm_world, table(1, side), code)
        ! gravel: sent without waiting, was line 97: call mpi_isend(outgoing(1, side), n, mpi_double_precis...
        call gravel_post_send(outgoing(1, side), n, mpi_double_precision, right, side, mpi_comm_world, &
             table(2, side), code)
      end do
      do i = 1, 4
        ! gravel: waits here, was line 100: call mpi_waitany(4, pending(1, 1), place, status, code)
        call gravel_waitany(4, pending(1, 1), place, status, code)
      end do
    case (3)
      do side = 1, 2
        ! gravel: posted here, was line 104: call mpi_irecv(incoming(1, side), n, mpi_double_precision, lef...
        call gravel_post_rcv_buffer_rdma(incoming(1, side), n, mpi_double_precision, left, side, &
             mpi_comm_world, pools_of(2)%pending(1, side), code)
        ! gravel: sent without waiting, was line 106: call mpi_isend(outgoing(1, side), n, mpi_double_preci...
        call gravel_post_send(outgoing(1, side), n, mpi_double_precision, right, side, mpi_comm_world, &
             pools_of(2)%pending(2, side), code)
      end do
      i = 0
      do while (i < 4)
        ! gravel: waits here, was line 111: call mpi_waitsome(4, pools_of(2)%pending(1, 1), done, places, s...
        call gravel_waitsome(4, pools_of(2)%pending(1, 1), done, places, statuses, code)
        i = i + done
      end do
    case (4)
      do side = 1, 2
        ! gravel: posted here, was line 116: call mpi_irecv(incoming(1, side), n, mpi_double_precision, lef...
        call gravel_post_rcv_buffer_rdma(incoming(1, side), n, mpi_double_precision, left, side, &
             mpi_comm_world, pools_of(1)%kept(1, side, 2), code)
        ! gravel: sent without waiting, was line 118: call mpi_isend(outgoing(1, side), n, mpi_double_preci...
        call gravel_post_send(outgoing(1, side), n, mpi_double_precision, right, side, mpi_comm_world, &
             pools_of(1)%kept(2, side, 2), code)
      end do
      all_done = .false.
      do while (.not. all_done)
        ! gravel: tested here, was line 123: call mpi_testall(4, pools_of(1)%kept(1, 1, 2), all_done, statu...
        call gravel_testall(4, pools_of(1)%kept(1, 1, 2), all_done, statuses, code)
        call gravel_f_sync_reg(incoming)
        call gravel_f_sync_reg(outgoing)
      end do
    case (5)
      do side = 1, 2
        ! gravel: posted here, was line 127: call mpi_irecv(incoming(1, side), n, mpi_double_precision, lef...
        call gravel_post_rcv_buffer_rdma(incoming(1, side), n, mpi_double_precision, left, side, &
             mpi_comm_world, table(1, side), code)
        ! gravel: sent without waiting, was line 128: call mpi_isend(outgoing(1, side), n, mpi_double_preci...
        call gravel_post_send(outgoing(1, side), n, mpi_double_precision, right, side, mpi_comm_world, &
             table(2, side), code)
      end do
      call finish_any(table(1, 1), 4)
    case (6)
      ! gravel: started here, was line 132: call mpi_startall(4, persistent(1, 1, 1), code)
      call gravel_f_sync_reg(incoming)
      call gravel_f_sync_reg(outgoing)
      call gravel_startall(4, persistent(1, 1, 1), code)
      ! gravel: waits here, was line 133: call mpi_waitall(3, persistent(1, 1, 1), mpi_statuses_ignore, code)
      call gravel_waitall(3, persistent(1, 1, 1), code)
      call gravel_f_sync_reg(incoming)
      call gravel_f_sync_reg(outgoing)
      ! gravel: waits here, was line 134: call mpi_waitall(1, persistent(2, 1, 2), mpi_statuses_ignore, code)
      call gravel_waitall(1, persistent(2, 1, 2), code)
      call gravel_f_sync_reg(incoming)
      call gravel_f_sync_reg(outgoing)
    end select
    do side = 1, 2
      do i = 1, n
        checksum = checksum + incoming(i, side)*dble(mod(i, 7))
      end do
    end do
    ! What the runtime is there for.
    ! gravel: posted here, was line 142: call mpi_irecv(incoming(1, 1), n, mpi_double_precision, left, 1, m...
    call gravel_post_rcv_buffer_rdma(incoming(1, 1), n, mpi_double_precision, left, 1, mpi_comm_world, &
         table(1, 1), code)
    ! gravel: sent without waiting, was line 143: call mpi_isend(outgoing(1, 1), n, mpi_double_precision, r...
    call gravel_post_send(outgoing(1, 1), n, mpi_double_precision, right, 1, mpi_comm_world, table(2, 1), &
         code)
    ! gravel: waits here, was line 144: call mpi_waitall(2, table(1, 1), mpi_statuses_ignore, code)
    call gravel_waitall(2, table(1, 1), code)
    do i = 1, n
      checksum = checksum + incoming(i, 1)
    end do
  end do
  do side = 1, 2
    ! gravel: released here, was line 150: call mpi_request_free(persistent(1, 1, side), code)
    call gravel_release(persistent(1, 1, side), code)
    ! gravel: released here, was line 151: call mpi_request_free(persistent(2, 1, side), code)
    call gravel_release(persistent(2, 1, side), code)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, code)
  if (rank == 0) then
    do i = 1, ranks
      print '(a, i0, a, es24.16)', 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(code)
end program requests_from_elements
