! Waits at the end of procedures whose callers can't do them, each for another reason, or gain nothing by it.
! ranks: 1 2 3
module exchanges
  use mpi
  use gravel, only: gravel_request_kind
  implicit none

  integer, parameter :: n = 20000
  integer :: left, right, ierr
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_w1_counted
  integer(gravel_request_kind), public :: gravel_w1_needed

contains

  ! One of its calls stands in an expression.
  integer function shifted(a)
    double precision, intent(inout) :: a(2*n)
    call mpi_sendrecv(a(1), n, mpi_double_precision, right, 1, a(n+1), n, mpi_double_precision, left, 1, &
      mpi_comm_world, mpi_status_ignore, ierr)
    shifted = n
  end function shifted

  ! Sections of columns are handed over as copies.
  subroutine rows(a, b)
    double precision, intent(inout) :: a(n), b(n)
    call mpi_sendrecv(a, n, mpi_double_precision, right, 2, b, n, mpi_double_precision, left, 2, &
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine rows

  ! Its buffer is its own.
  subroutine own(a)
    double precision, intent(inout) :: a(n)
    double precision :: buffer(n)
    buffer = a
    call mpi_sendrecv_replace(buffer, n, mpi_double_precision, right, 3, left, 3, mpi_comm_world, &
      mpi_status_ignore, ierr)
    a = buffer
  end subroutine own

  ! The status is looked at.
  subroutine counted(a, many)
    use gravel
    double precision, intent(inout) :: a(2*n)
    integer, intent(out) :: many
    integer :: status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_r1
    ! gravel: receives and sends here, was line 42: call mpi_sendrecv(a(1), n, mpi_double_precision, right,...
    call gravel_post_rcv_buffer_rdma(a(n+1), n, mpi_double_precision, left, 4, mpi_comm_world, gravel_r1)
    call gravel_post_send(a(1), n, mpi_double_precision, right, 4, mpi_comm_world, gravel_w1_counted)
    call gravel_wait(gravel_r1, a, status, ierr)
    call mpi_get_count(status, mpi_double_precision, many, ierr)
  end subroutine counted

  ! One call shares its line, so that none can wait.
  subroutine pair(a)
    double precision, intent(inout) :: a(2*n)
    call mpi_sendrecv(a(1), n, mpi_double_precision, right, 5, a(n+1), n, mpi_double_precision, left, 5, &
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine pair

  ! Calls itself.
  recursive subroutine often(a, times)
    double precision, intent(inout) :: a(2*n)
    integer, intent(in) :: times
    if (times > 1) call often(a, times - 1)
    a(1) = times
    call mpi_sendrecv(a(1), n, mpi_double_precision, right, 6, a(n+1), n, mpi_double_precision, left, 6, &
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine often

  ! What comes is needed at once.
  subroutine needed(a)
    use gravel
    double precision, intent(inout) :: a(2*n)
    integer(gravel_request_kind) :: gravel_r1
    ! gravel: receives and sends here, was line 67: call mpi_sendrecv(a(1), n, mpi_double_precision, right,...
    call gravel_post_rcv_buffer_rdma(a(n+1), n, mpi_double_precision, left, 7, mpi_comm_world, gravel_r1)
    call gravel_post_send(a(1), n, mpi_double_precision, right, 7, mpi_comm_world, gravel_w1_needed)
    call gravel_wait(gravel_r1, a, ierr)
  end subroutine needed

end module exchanges

program kept
  use mpi
  use exchanges
  use gravel
  use exchanges, only: gravel_w1_counted, gravel_w1_needed
  implicit none

  double precision :: a(2*n), b(2*n), grid(2, n), work(n), sums(4)
  integer :: me, ranks, i, many

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  do i = 1, 2 * n
    a(i) = mod(i, 13) + me
    b(i) = mod(i, 17) - me
  end do
  do i = 1, n
    grid(1, i) = i + me
    grid(2, i) = 0
    work(i) = 0
  end do

  many = 2 * shifted(a)
  do i = 1, n
    work(i) = work(i) + mod(i, 3)
  end do
  call rows(grid(1, :), grid(2, :))
  do i = 1, n
    work(i) = work(i) + mod(i, 5)
  end do
  call own(b)
  do i = 1, n
    work(i) = work(i) + mod(i, 7)
  end do
  call counted(b, many)
  do i = 1, n
    work(i) = work(i) + many
  end do
  call pair(a); a(n+1) = a(n+1) + 1
  call pair(b)
  do i = 1, n
    work(i) = work(i) * 0.5d0
  end do
  ! gravel: waits here for what line 108 has begun: call counted(b, many)
  call gravel_wait(gravel_w1_counted, b)
  call often(a, 3)
  do i = 1, n
    work(i) = work(i) + 1
  end do
  call needed(b)
  work(1) = work(1) + b(n+1)

  sums = [sum(a), sum(b), sum(grid), sum(work)] * (me + 1)
  ! gravel: waits here for what line 121 has begun: call needed(b)
  call gravel_wait(gravel_w1_needed, b)
  call mpi_allreduce(mpi_in_place, sums, 4, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  if (me == 0) write (*, '(4es24.16)') sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program kept
