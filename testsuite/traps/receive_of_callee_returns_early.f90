! The procedure returns before its receive at the first call.
! expect: without hoist-receive
module ring_of_returns_early
  use mpi
  implicit none
  integer, parameter :: n = 20000, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  integer :: requests(4), turn
  double precision :: checksum, outgoing(n, 4)

contains

  subroutine start()
    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    next = mod(rank + 1, ranks)
    prev = mod(rank - 1 + ranks, ranks)
    requests = mpi_request_null
    turn = 0
    checksum = 0.0d0
  end subroutine start

  subroutine give(tag)
    integer, intent(in) :: tag
    integer :: k

    turn = turn + 1
    do k = 1, n
      outgoing(k, turn) = dble(rank + 1) * dble(mod(k, 9) + tag + 3 * turn)
    end do
    call mpi_isend(outgoing(1, turn), n, mpi_double_precision, next, tag, mpi_comm_world, requests(turn), ierr)
  end subroutine give

  subroutine look_at(b)
    double precision, intent(in) :: b(n)
    integer :: k

    do k = 1, n
      checksum = checksum + b(k) * dble(mod(k, 7))
    end do
  end subroutine look_at

  subroutine finish()
    double precision :: checksums(max_ranks)
    integer :: k

    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    if (rank == 0) then
      do k = 1, ranks
        write (*, '(a,i0,a,es24.16)') 'rank ', k - 1, ' checksum ', checksums(k)
      end do
    end if
  end subroutine finish

  subroutine get(a, is_idle)
    double precision, intent(inout) :: a(n)
    logical, intent(in) :: is_idle

    if (is_idle) return
    call mpi_recv(a, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    call look_at(a)
  end subroutine get
end module ring_of_returns_early

program receive_of_callee_returns_early
  use ring_of_returns_early
  implicit none
  integer :: i
  double precision :: b(n), work(n)

  call mpi_init(ierr)
  call start()
  b = 1.0d0
  work = 0.0d0
  call give(1)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i)) + sin(dble(i))
  end do
  call get(b, .true.)
  do i = 1, n
    work(i) = work(i) + sqrt(dble(i)) + sin(dble(i))
  end do
  call get(b, .false.)
  call look_at(work)
  call look_at(b)
  call finish()
  call mpi_finalize(ierr)
end program receive_of_callee_returns_early
