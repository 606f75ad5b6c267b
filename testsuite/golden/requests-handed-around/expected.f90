! Requests are copied, compared, kept in objects, handed to procedures and stored beside those of a collective operation: whoever
! completes them takes Gravel's and MPI's. The communicator comes from a procedure.
module exchanges
  use mpi
  implicit none

  type :: pending
    integer :: left = mpi_request_null
    integer :: all(3) = mpi_request_null
  end type pending

contains

  subroutine make(line)
    use gravel
    integer, intent(out) :: line
    integer :: ranks, ierr
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    call mpi_cart_create(mpi_comm_world, 1, [ranks], [.true.], .false., line, ierr)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(line)
  end subroutine make

  subroutine finish(request)
    use gravel
    integer, intent(inout) :: request
    integer :: ierr
    ! gravel: waits here, was line 24: call mpi_wait(request, mpi_status_ignore, ierr)
    if (request /= mpi_request_null) call gravel_wait_request(request, ierr)
  end subroutine finish

end module exchanges

program requests_handed_around
  use exchanges
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: line, rank, ranks, next, prev, ierr, i, step, request, factor
  type(pending) :: begun, kept
  double precision, asynchronous :: sbuf(n), rbuf(n), upwards(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call make(line)
  call mpi_cart_shift(line, 0, 1, prev, next, ierr)

  upwards = 0.0d0
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 77)) * 0.125d0
  end do
  do step = 1, 3
    ! gravel: posted here, was line 51: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 6, line, reques...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 6, line, request, ierr)
    begun%left = request
    ! gravel: posted early, was line 59: call mpi_irecv(upwards, n, mpi_double_precision, next, 7, line, be...
    call gravel_post_rcv_buffer_rdma(upwards, n, mpi_double_precision, next, 7, line, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 56: call mpi_isend(sbuf, n, mpi_double_precision, nex...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 6, line, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 56: call mpi_isend(sbuf, n, mpi_double_precision, next, 6, ...
    call gravel_send_fin(gravel_t1, begun%all(1), ierr)
    factor = step + rank
    call mpi_ibcast(factor, 1, mpi_integer, 0, line, begun%all(2), ierr)
    ! gravel: posted above, was line 59: call mpi_irecv(upwards, n, mpi_double_precision, next, 7, line, be...
    begun%all(3) = gravel_r1
    ierr = 0
    ! gravel: one handshake, a put per tile, was line 63: call mpi_send(field, n, mpi_double_precision, pre...
    call gravel_wait_rcv_buffer(field, n, mpi_double_precision, prev, 7, line, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         field(i) = sqrt(field(i) + dble(step))
       end do
       call gravel_post_os_put(gravel_t2, field, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: sent tile by tile above, was line 63: call mpi_send(field, n, mpi_double_precision, prev, 7, ...
    call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    call gravel_wait(gravel_s2, field)
    kept = begun
    call finish(kept%left)
    ! gravel: waits here, was line 66: call mpi_waitall(3, kept%all, mpi_statuses_ignore, ierr)
    call gravel_waitall(3, kept%all, ierr)
    do i = 1, n
      field(i) = field(i) + rbuf(i) + upwards(i) / dble(factor)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 31))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      print '(a,i3,a,es24.16)', 'rank', i - 1, ' checksum', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program requests_handed_around
