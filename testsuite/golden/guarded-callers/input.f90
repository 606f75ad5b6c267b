! A chain of processes: all but the first receive what the one below has made, in a procedure that is called under that
! condition, and in a branch that works out first who that is. What goes around among all of them is
! filled and read by loops that count from 3 on.
module chain
  use mpi
  implicit none
  integer, parameter :: n = 30000
  integer :: ierr, me, others
  double precision :: inflow(n), total

contains

  subroutine take(tag, factor)
    integer, intent(in) :: tag
    double precision, intent(in) :: factor
    integer :: i

    call mpi_recv(inflow, n, mpi_double_precision, me - 1, tag, mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      total = total + factor * inflow(i)
    end do
  end subroutine take

end module chain

program guarded_callers
  use mpi
  use chain
  implicit none
  integer, parameter :: max_ranks = 16
  integer :: i, round, below, request
  double precision :: work(n), outgoing(n), later(n), next(n + 2), checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, others, ierr)
  total = 0.0d0
  later = 0.0d0
  next = 0.0d0
  do round = 1, 3
    request = mpi_request_null
    do i = 1, n
      outgoing(i) = me + 0.25d0 * mod(i + round, 17)
    end do
    if (me < others - 1) call mpi_isend(outgoing, n, mpi_double_precision, me + 1, 2, mpi_comm_world, request, ierr)
    do i = 1, n
      work(i) = sqrt(dble(i + round))
    end do
    if (me > 0) call take(2, 0.5d0)
    call mpi_wait(request, mpi_status_ignore, ierr)

    if (me < others - 1) call mpi_isend(work, n, mpi_double_precision, me + 1, 3, mpi_comm_world, request, ierr)
    do i = 1, n
      total = total + 1.0d-3 * mod(i, 3)
    end do
    if (me > 0) then
      below = me - 1
      call mpi_recv(later, n, mpi_double_precision, below, 3, mpi_comm_world, mpi_status_ignore, ierr)
    end if
    call mpi_wait(request, mpi_status_ignore, ierr)

    call mpi_irecv(inflow, n, mpi_double_precision, modulo(me - 1, others), 4, mpi_comm_world, request, ierr)
    do i = 3, n + 2
      outgoing(i - 2) = next(i) + later(i - 2) * 0.5d0
    end do
    call mpi_send(outgoing, n, mpi_double_precision, modulo(me + 1, others), 4, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 3, n + 2
      next(i) = next(i) * 0.5d0 + inflow(i - 2)
    end do
  end do
  total = total + sum(next) + sum(work)
  call mpi_gather(total, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:others)
  call mpi_finalize(ierr)
end program guarded_callers
