! Requests in arrays with two dimensions: waited for all at once, a column at a time, from an element on; and one request in the place
! of an array of them.
subroutine exchange(received, sent, n, left, right)
  use gravel
  implicit none
  include 'mpif.h'
  integer, intent(in) :: n, left, right
  double precision, intent(inout) :: received(n, 4), sent(n, 4)
  integer :: requests(2, 4), statuses(mpi_status_size, 8), side, code
  do side = 1, 4
    ! gravel: posted here, was line 10: call mpi_irecv(received(1, side), n, mpi_double_precision, left, si...
    call gravel_post_rcv_buffer_rdma(received(1, side), n, mpi_double_precision, left, side, mpi_comm_world, &
         requests(1, side), code)
    ! gravel: sent without waiting, was line 11: call mpi_isend(sent(1, side), n, mpi_double_precision, rig...
    call gravel_post_send(sent(1, side), n, mpi_double_precision, right, side, mpi_comm_world, requests(2, &
         side), code)
  end do
  ! gravel: waits here, was line 13: call mpi_waitall(8, requests, statuses, code)
  call gravel_waitall(8, requests, statuses, code)
  call gravel_f_sync_reg(received)
  call gravel_f_sync_reg(sent)
end subroutine exchange

subroutine exchange_by_columns(received, sent, n, left, right)
  use gravel
  implicit none
  include 'mpif.h'
  integer, intent(in) :: n, left, right
  double precision, intent(inout) :: received(n, 4), sent(n, 4)
  integer :: requests(2, 4), side, code
  do side = 1, 4
    ! gravel: posted here, was line 23: call mpi_irecv(received(1, side), n, mpi_double_precision, left, si...
    call gravel_post_rcv_buffer_rdma(received(1, side), n, mpi_double_precision, left, side, mpi_comm_world, &
         requests(1, side), code)
    ! gravel: sent without waiting, was line 24: call mpi_isend(sent(1, side), n, mpi_double_precision, rig...
    call gravel_post_send(sent(1, side), n, mpi_double_precision, right, side, mpi_comm_world, requests(2, &
         side), code)
  end do
  ! gravel: waits here, was line 26: call mpi_waitall(1, requests(2, 1), mpi_statuses_ignore, code)
  call gravel_waitall(1, requests(2, 1), code)
  call gravel_f_sync_reg(received)
  call gravel_f_sync_reg(sent)
  ! gravel: waits here, was line 27: call mpi_waitall(2, requests(:, 2), mpi_statuses_ignore, code)
  call gravel_waitall(2, requests(:, 2), code)
  call gravel_f_sync_reg(received)
  call gravel_f_sync_reg(sent)
  ! gravel: waits here, was line 28: call mpi_waitall(4, requests(1, 3), mpi_statuses_ignore, code)
  call gravel_waitall(4, requests(1, 3), code)
  call gravel_f_sync_reg(received)
  call gravel_f_sync_reg(sent)
  ! gravel: waits here, was line 29: call mpi_waitall(1, requests(1, 1), mpi_statuses_ignore, code)
  call gravel_waitall(1, requests(1, 1), code)
  call gravel_f_sync_reg(received)
  call gravel_f_sync_reg(sent)
end subroutine exchange_by_columns

subroutine exchange_one(received, sent, n, left, right)
  use gravel
  implicit none
  include 'mpif.h'
  integer, intent(in) :: n, left, right
  double precision, intent(inout) :: received(n), sent(n)
  integer :: incoming, outgoing, statuses(mpi_status_size, 2), code
  ! gravel: posted here, was line 38: call mpi_irecv(received, n, mpi_double_precision, left, 9, mpi_comm_w...
  call gravel_post_rcv_buffer_rdma(received, n, mpi_double_precision, left, 9, mpi_comm_world, incoming, code)
  ! gravel: sent without waiting, was line 39: call mpi_isend(sent, n, mpi_double_precision, right, 9, mpi_...
  call gravel_post_send(sent, n, mpi_double_precision, right, 9, mpi_comm_world, outgoing, code)
  ! gravel: waits here, was line 40: call mpi_waitall(1, incoming, statuses, code)
  call gravel_wait(incoming, received, statuses(:, 1), code)
  ! gravel: waits here, was line 41: call mpi_waitall(1, outgoing, mpi_statuses_ignore, code)
  call gravel_wait(outgoing, sent, code)
  if (statuses(mpi_tag, 1) /= 9) print *, 'another tag'
end subroutine exchange_one

program request_tables
  use gravel
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 20000, max_ranks = 16
  double precision :: received(n, 4), sent(n, 4), checksum, checksums(max_ranks)
  integer :: code, rank, ranks, i, side, step

  call mpi_init(code)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  call mpi_comm_size(mpi_comm_world, ranks, code)
  checksum = 0.0d0
  do step = 1, 3
    do side = 1, 4
      do i = 1, n
        sent(i, side) = dble(mod(i + step, 9) + rank*side)
      end do
    end do
    call exchange(received, sent, n, modulo(rank - 1, ranks), modulo(rank + 1, ranks))
    checksum = checksum + sum(received)
    call exchange_by_columns(sent, received, n, modulo(rank + 1, ranks), modulo(rank - 1, ranks))
    checksum = checksum + sum(sent(:, 3))
    call exchange_one(received(1, 2), sent(1, 1), n, modulo(rank - 1, ranks), modulo(rank + 1, ranks))
    checksum = checksum + sum(received(:, 2))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, code)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(code)
end program request_tables
