! Procedures that call MPI and do what such procedures do besides: they compute counts and tags, take communicator and
! datatype from a module, leave the call out where there is nobody or nothing to send, hand a request back, and look
! whether there was an error. What of that the callers do not see stands in the calls that replace theirs.
! ranks: 1 2 3 4
module parallel
  use mpi
  implicit none
  integer, save :: line = mpi_comm_null, real_type
  integer, parameter :: base = 100

contains

  subroutine start(rank, ranks)
    use gravel
    integer, intent(out) :: rank, ranks
    integer :: ierr

    call mpi_init(ierr)
    ! gravel: the runtime starts after MPI
    call gravel_init(mpi_comm_world)
    call mpi_comm_dup(mpi_comm_world, line, ierr)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(line)
    real_type = mpi_double_precision
    call mpi_comm_rank(line, rank, ierr)
    call mpi_comm_size(line, ranks, ierr)
  end subroutine start

  ! Nothing is sent beyond the ends.
  subroutine send_plane(plane, rows, columns, to, kind)
    integer, intent(in) :: rows, columns, to, kind
    double precision, intent(in) :: plane(rows, columns)
    integer :: ierr, count

    count = rows * columns
    if (to >= 0) then
      call mpi_send(plane, count, real_type, to, base + kind, line, ierr)
      if (ierr /= mpi_success) call give_up('send_plane', ierr)
    end if
  end subroutine send_plane

  subroutine receive_plane(plane, rows, columns, from, kind)
    integer, intent(in) :: rows, columns, from, kind
    double precision, intent(inout) :: plane(rows, columns)
    integer :: status(mpi_status_size), ierr

    if (from < 0 .or. rows * columns <= 0) return
    call mpi_recv(plane, rows * columns, real_type, from, base + kind, line, status, ierr)
    if (ierr .ne. 0) then
      print *, 'receive_plane: no message from ', from
      call give_up('receive_plane', ierr)
    end if
  end subroutine receive_plane

  subroutine give_up(where, code)
    character(len=*), intent(in) :: where
    integer, intent(in) :: code
    integer :: ierr

    print *, where, ' failed with ', code
    call mpi_abort(mpi_comm_world, code, ierr)
  end subroutine give_up

end module parallel

subroutine post_receive(values, n, from, request)
  use parallel
  implicit none
  integer, intent(in) :: n, from
  double precision, intent(inout) :: values(n)
  integer, intent(out) :: request
  integer :: code

  call mpi_irecv(values, n, mpi_double_precision, from, base - 1, line, request, code)
  if (code /= 0) call give_up('post_receive', code)
end subroutine post_receive

subroutine post_send(values, n, to, request)
  use parallel
  implicit none
  integer, intent(in) :: n, to
  double precision, intent(in) :: values(n)
  integer, intent(out) :: request
  integer :: code

  call mpi_isend(values, n, mpi_double_precision, to, base - 1, line, request, code)
  if (code /= 0) call give_up('post_send', code)
end subroutine post_send

subroutine finish(request)
  use parallel
  implicit none
  integer, intent(inout) :: request
  integer :: code

  call mpi_wait(request, mpi_status_ignore, code)
  if (code /= 0) call give_up('finish', code)
end subroutine finish

program wrappers_that_check
  use parallel
  use gravel
  implicit none

  integer, parameter :: rows = 50, columns = 8
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks
  double precision :: field(rows, columns), checksum, checksums(max_ranks)

  call start(rank, ranks)
  call steps(rank, ranks, field, rows, columns)
  checksum = sum(field)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:ranks)
  call mpi_comm_free(line, ierr)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program wrappers_that_check

subroutine steps(rank, ranks, field, rows, columns)
  use parallel
  use gravel
  use mpi, only: mpi_double_precision, mpi_proc_null
  implicit none
  integer, intent(in) :: rank, ranks, rows, columns
  double precision, intent(out) :: field(rows, columns)
  double precision :: outgoing(rows, columns), incoming(rows, columns), ring_out(rows), ring_in(rows)
  double precision :: scratch(rows, columns)
  integer :: above, below, next, previous, step, i, j, arriving, leaving
  integer(gravel_request_kind) :: gravel_r1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_hi1, gravel_hi2, gravel_hi3, gravel_hi4, &
       gravel_step1, gravel_step2, gravel_step3, gravel_step4

  above = rank + 1
  if (above == ranks) above = -1
  below = rank - 1
  next = mod(rank + 1, ranks)
  previous = mod(rank - 1 + ranks, ranks)
  incoming = 0.0d0
  do j = 1, columns
    do i = 1, rows
      field(i, j) = dble(rank + 1) + dble(mod(i * j, 11)) * 0.25d0
    end do
  end do
  do step = 1, 3
    ! gravel: posted here, was line 134: call post_receive(ring_in, rows, previous, arriving)
    call gravel_post_rcv_segments(ring_in, rows, mpi_double_precision, previous, 100 - 1, line, arriving)
    ! gravel: posted early, was line 150: call receive_plane(incoming, rows, columns, below, step / 4)
    call gravel_post_rcv_segments(incoming, merge(rows * columns, 0, &
         .not. ((below < 0) .or. ((rows * columns) <= 0))), real_type, merge(below, mpi_proc_null, &
         .not. ((below < 0) .or. ((rows * columns) <= 0))), 100 + (step / 4), line, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 138: call post_send(ring_out, rows, next, leaving)
    call gravel_wait_rcv_buffer(ring_out, rows, mpi_double_precision, next, 100 - 1, line, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, rows)
    do gravel_lo1 = 1, rows, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, rows - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         ring_out(i) = field(i, 1) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, ring_out, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 138: call post_send(ring_out, rows, next, leaving)
    call gravel_send_fin(gravel_t1, leaving)
    ! gravel: one handshake, a put per tile, was line 144: call send_plane(outgoing, rows, columns, above, ...
    call gravel_wait_rcv_buffer(outgoing, merge(rows * columns, 0, above >= 0), real_type, merge(above, &
         mpi_proc_null, above >= 0), 100 + (step / 4), line, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, columns)
    do gravel_lo2 = 1, columns, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, columns - gravel_lo2)
       do j = gravel_lo2, gravel_hi2
         do i = 1, rows
           outgoing(i, j) = field(i, j) * 0.5d0 + dble(step)
         end do
       end do
       call gravel_post_os_put(gravel_t2, outgoing, (gravel_lo2 - 1)*rows, (gravel_hi2 - gravel_lo2 + 1)*rows)
    end do
    ! gravel: sent tile by tile above, was line 144: call send_plane(outgoing, rows, columns, above, step / 4)
    call gravel_send_fin(gravel_t2, gravel_s2)
    do j = 1, columns
      do i = 1, rows
        scratch(i, j) = field(i, j) * 0.25d0
      end do
    end do
    ! gravel: moved away from here, was line 150: call receive_plane(incoming, rows, columns, below, step / 4)
    ! gravel: waits here for what each tile reads, was line 150: call receive_plane(incoming, rows, columns...
    gravel_step3 = gravel_tile(gravel_r1, columns)
    if (gravel_step3 >= columns) call gravel_wait(gravel_r1, incoming)
    do gravel_lo3 = 1, columns, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, columns - gravel_lo3)
       if (gravel_step3 < columns) call gravel_wait_range(gravel_r1, incoming, 0, rows*gravel_hi3)
       do j = gravel_lo3, gravel_hi3
         do i = 1, rows
           field(i, j) = scratch(i, j) + incoming(i, j) * 0.5d0
         end do
       end do
    end do
    if (gravel_step3 < columns) call gravel_wait(gravel_r1, incoming)
    ! gravel: moved away from here, was line 156: call finish(arriving)
    ! gravel: moved away from here, was line 157: call finish(leaving)
    ! gravel: waits here for what each tile reads, was line 156: call finish(arriving)
    gravel_step4 = gravel_tile(arriving, rows)
    if (gravel_step4 >= rows) call gravel_wait(arriving, ring_in)
    do gravel_lo4 = 1, rows, gravel_step4
       gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, rows - gravel_lo4)
       if (gravel_step4 < rows) call gravel_wait_range(arriving, ring_in, 0, gravel_hi4)
       do i = gravel_lo4, gravel_hi4
         field(i, columns) = field(i, columns) + ring_in(i)
       end do
    end do
    if (gravel_step4 < rows) call gravel_wait(arriving, ring_in)
    ! gravel: the wait moved here, was line 144: call send_plane(outgoing, rows, columns, above, step / 4)
    call gravel_wait(gravel_s2, outgoing)
    ! gravel: the wait moved here, was line 157: call finish(leaving)
    call gravel_wait(leaving, ring_out)
  end do
end subroutine steps
