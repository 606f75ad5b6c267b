! What comes from the left is received at the beginning of procedures that go on with it. Their callers have work to do before
! they call them.
module pipeline
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, me, others, left, sending
  double precision :: inflow(n), total

contains

  subroutine start_pipeline()
    call mpi_comm_rank(mpi_comm_world, me, ierr)
    call mpi_comm_size(mpi_comm_world, others, ierr)
    left = modulo(me - 1, others)
    total = 0.0d0
    sending = mpi_request_null
  end subroutine start_pipeline

  ! From the module's variable and with the caller's factor.
  subroutine pass(tag, factor)
    integer, intent(in) :: tag
    double precision, intent(in) :: factor
    integer :: i

    call mpi_recv(inflow, n, mpi_double_precision, left, tag, mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      total = total + factor * inflow(i)
    end do
  end subroutine pass

  ! Into the caller's array; the first process has no neighbour.
  subroutine pass_if_any(b, m)
    integer, intent(in) :: m
    double precision, intent(inout) :: b(m)
    integer :: i

    if (me > 0) then
      call mpi_recv(b, m, mpi_double_precision, me - 1, 3, mpi_comm_world, mpi_status_ignore, ierr)
    end if
    do i = 1, m
      total = total + b(i)
    end do
  end subroutine pass_if_any

  ! The program's own request.
  subroutine pass_requested(b)
    double precision, intent(inout) :: b(n)
    integer :: request, i

    call mpi_irecv(b, n, mpi_double_precision, left, 4, mpi_comm_world, request, ierr)
    do i = 1, n
      total = total + 1.0d-3 * mod(i, 3)
    end do
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      total = total - b(i)
    end do
  end subroutine pass_requested

end module pipeline

program receive_of_callee
  use mpi, only: mpi_init, mpi_finalize
  use pipeline, only: start_pipeline, pass, pass_if_any, pass_requested, total
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, i, round
  double precision :: work(n), b(n), c(n, 2)

  call mpi_init(ierr)
  call start_pipeline()
  b = 1.0d0
  c = 2.0d0
  do round = 1, 3
    call put(n, 2 * round, work, 1)
    do i = 1, n
      work(i) = sqrt(dble(i + round))
    end do
    call pass(2 * round, 0.5d0)

    call put(n - 1, 3, work, 0)
    do i = 1, n
      work(i) = work(i) + sin(dble(i))
    end do
    call pass_if_any(b, n - 1)

    call put(n, 4, work, 1)
    if (round > 1) then
      do i = 1, n
        work(i) = work(i) + cos(dble(i))
      end do
      call pass_requested(c(1, 2))
    else
      call pass_requested(c)
    end if
  end do
  call put(0, 0, work, 0)
  call report(total + sum(work))
  call mpi_finalize(ierr)

contains

  ! Sends to the right, when what was sent before has left; without wrapping around, the last process keeps what it has.
  subroutine put(m, tag, from, around)
    use mpi
    use pipeline
    integer, intent(in) :: m, tag, around
    double precision, intent(in) :: from(:)
    double precision, save :: copy(30000)
    integer :: rank, ranks, k

    call mpi_wait(sending, mpi_status_ignore, ierr)
    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    do k = 1, m
      copy(k) = rank + 0.25d0 * mod(k + tag, 17) + 0.0d0 * from(1)
    end do
    if (m > 0 .and. (around == 1 .or. rank < ranks - 1)) then
      call mpi_isend(copy, m, mpi_double_precision, modulo(rank + 1, ranks), tag, mpi_comm_world, sending, ierr)
    end if
  end subroutine put

  subroutine report(value)
    use mpi
    double precision, intent(in) :: value
    double precision :: values(16)
    integer :: rank, ranks, r

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    call mpi_gather(value, 1, mpi_double_precision, values, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    if (rank == 0) then
      do r = 1, ranks
        write (*, '(a,i3,a,es24.16)') 'rank', r - 1, ': ', values(r)
      end do
    end if
  end subroutine report

end program receive_of_callee
