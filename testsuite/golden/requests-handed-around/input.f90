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
    integer, intent(out) :: line
    integer :: ranks, ierr
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    call mpi_cart_create(mpi_comm_world, 1, [ranks], [.true.], .false., line, ierr)
  end subroutine make

  subroutine finish(request)
    integer, intent(inout) :: request
    integer :: ierr
    if (request /= mpi_request_null) call mpi_wait(request, mpi_status_ignore, ierr)
  end subroutine finish

end module exchanges

program requests_handed_around
  use exchanges
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: line, rank, ranks, next, prev, ierr, i, step, request, factor
  type(pending) :: begun, kept
  double precision, asynchronous :: sbuf(n), rbuf(n), upwards(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call make(line)
  call mpi_cart_shift(line, 0, 1, prev, next, ierr)

  upwards = 0.0d0
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 77)) * 0.125d0
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 6, line, request, ierr)
    begun%left = request
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0
    end do
    call mpi_isend(sbuf, n, mpi_double_precision, next, 6, line, begun%all(1), ierr)
    factor = step + rank
    call mpi_ibcast(factor, 1, mpi_integer, 0, line, begun%all(2), ierr)
    call mpi_irecv(upwards, n, mpi_double_precision, next, 7, line, begun%all(3), ierr)
    do i = 1, n
      field(i) = sqrt(field(i) + dble(step))
    end do
    call mpi_send(field, n, mpi_double_precision, prev, 7, line, ierr)
    kept = begun
    call finish(kept%left)
    call mpi_waitall(3, kept%all, mpi_statuses_ignore, ierr)
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
  call mpi_finalize(ierr)
end program requests_handed_around
