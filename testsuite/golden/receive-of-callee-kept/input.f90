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
    double precision, intent(out) :: a(n)
    integer, intent(in) :: source

    call mpi_recv(a, n, mpi_double_precision, source, 1, mpi_comm_world, mpi_status_ignore, ierr)
    call add_up(a)
  end subroutine take_undefined

  ! The caller has no name for the source.
  subroutine take_from_hidden(a)
    double precision, intent(inout) :: a(n)

    call mpi_recv(a, n, mpi_double_precision, hidden_source, 2, mpi_comm_world, mpi_status_ignore, ierr)
    call add_up(a)
  end subroutine take_from_hidden

  ! Called with a section.
  subroutine take_column(a, source)
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source

    call mpi_recv(a, n, mpi_double_precision, source, 3, mpi_comm_world, mpi_status_ignore, ierr)
    call add_up(a)
  end subroutine take_column

  ! Another argument is computed from the buffer; one comes from a function.
  subroutine take_scaled(a, source, factor)
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source
    double precision, intent(in) :: factor

    call mpi_recv(a, n, mpi_double_precision, source, 4, mpi_comm_world, mpi_status_ignore, ierr)
    total = total + factor
    call add_up(a)
  end subroutine take_scaled

  ! There is nothing above the call that it could be posted over.
  subroutine take_at_once(a, source)
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source

    call mpi_recv(a, n, mpi_double_precision, source, 5, mpi_comm_world, mpi_status_ignore, ierr)
    call add_up(a)
  end subroutine take_at_once

  ! Into memory of its own.
  subroutine take_for_itself(source)
    integer, intent(in) :: source
    double precision :: a(n)

    call mpi_recv(a, n, mpi_double_precision, source, 6, mpi_comm_world, mpi_status_ignore, ierr)
    call add_up(a)
  end subroutine take_for_itself

  double precision function taken(a, source)
    double precision, intent(inout) :: a(n)
    integer, intent(in) :: source

    call mpi_recv(a, n, mpi_double_precision, source, 7, mpi_comm_world, mpi_status_ignore, ierr)
    taken = sum(a)
  end function taken

end module takers

program receive_of_callee_kept
  use mpi
  use takers, only: begin, take_undefined, take_from_hidden, take_column, take_scaled, take_at_once, take_for_itself, &
    taken, total, n
  implicit none

  integer :: rank, ranks, left, right, ierr, i, tag
  integer :: requests(8)
  double precision :: a(n), wide(n, 2), outgoing(n, 8), work(n), totals(16)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call begin()
  a = 1.0d0
  wide = 2.0d0
  do tag = 1, 8
    do i = 1, n
      outgoing(i, tag) = rank + 1 + 0.5d0 * mod(i, tag + 3)
    end do
    call mpi_isend(outgoing(1, tag), n, mpi_double_precision, right, min(tag, 7), mpi_comm_world, requests(tag), ierr)
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
  call mpi_waitall(8, requests, mpi_statuses_ignore, ierr)
  call mpi_gather(total, 1, mpi_double_precision, totals, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' total ', totals(i)
    end do
  end if
  call mpi_finalize(ierr)
end program receive_of_callee_kept
