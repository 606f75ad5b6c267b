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
    integer, intent(out) :: rank, ranks
    integer :: ierr

    call mpi_init(ierr)
    call mpi_comm_dup(mpi_comm_world, line, ierr)
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
  call mpi_finalize(ierr)
end program wrappers_that_check

subroutine steps(rank, ranks, field, rows, columns)
  use parallel
  implicit none
  integer, intent(in) :: rank, ranks, rows, columns
  double precision, intent(out) :: field(rows, columns)
  double precision :: outgoing(rows, columns), incoming(rows, columns), ring_out(rows), ring_in(rows)
  double precision :: scratch(rows, columns)
  integer :: above, below, next, previous, step, i, j, arriving, leaving

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
    call post_receive(ring_in, rows, previous, arriving)
    do i = 1, rows
      ring_out(i) = field(i, 1) * 0.5d0 + dble(step)
    end do
    call post_send(ring_out, rows, next, leaving)
    do j = 1, columns
      do i = 1, rows
        outgoing(i, j) = field(i, j) * 0.5d0 + dble(step)
      end do
    end do
    call send_plane(outgoing, rows, columns, above, step / 4)
    do j = 1, columns
      do i = 1, rows
        scratch(i, j) = field(i, j) * 0.25d0
      end do
    end do
    call receive_plane(incoming, rows, columns, below, step / 4)
    do j = 1, columns
      do i = 1, rows
        field(i, j) = scratch(i, j) + incoming(i, j) * 0.5d0
      end do
    end do
    call finish(arriving)
    call finish(leaving)
    do i = 1, rows
      field(i, columns) = field(i, columns) + ring_in(i)
    end do
  end do
end subroutine steps
