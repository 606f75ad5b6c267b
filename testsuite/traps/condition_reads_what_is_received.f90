! The condition under which something is received looks at what the receive fills: the program evaluates it once more behind a post
! that was made early, when the message may have come.
! ranks: 2 3
! expect: without hoist-receive
module exchanges
  use mpi
  implicit none
  integer, parameter :: n = 5000
  integer :: left, right, times = 0
contains

  ! More follows as long as the neighbour says so.
  subroutine ask(more)
    integer, intent(inout) :: more
    integer :: request, own, ierr
    if (more > 0) then
      call mpi_irecv(more, 1, mpi_integer, left, 2, mpi_comm_world, request, ierr) ! trapped
      own = 0
      call mpi_send(own, 1, mpi_integer, right, 2, mpi_comm_world, ierr)
      call mpi_wait(request, mpi_status_ignore, ierr)
      times = times + 1
    end if
  end subroutine ask

end module exchanges

program condition_reads_what_is_received
  use exchanges
  implicit none
  double precision :: a(n), b(n), w(n), own(2)
  double precision, allocatable :: all(:, :)
  integer :: i, step, more, me, ranks, request, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  b = 1
  w = 1
  do step = 1, 4
    b(1) = step
    more = 1
    call mpi_barrier(mpi_comm_world, ierr)
    if (me == 1) call delay
    do i = 1, n
      w(i) = 0.5d0 * w(i) + i
      a(i) = 100 + mod(i, 7) + step + me
    end do
    if (b(1) < 50) then
      call mpi_irecv(b, n, mpi_double_precision, left, 1, mpi_comm_world, request, ierr) ! trapped
      call mpi_send(a, n, mpi_double_precision, right, 1, mpi_comm_world, ierr)
      call mpi_wait(request, mpi_status_ignore, ierr)
      times = times + 1
    end if
    do i = 1, n
      w(i) = 0.5d0 * w(i) + b(i)
    end do
    call ask(more)
  end do
  own = [sum(w), dble(times)]
  allocate (all(2, ranks))
  call mpi_gather(own, 2, mpi_double_precision, all, 2, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(2es24.16)', all
  call mpi_finalize(ierr)
contains
  ! Others are ahead.
  subroutine delay
    integer :: k
    double precision :: x
    x = 1
    do k = 1, 300000
      x = sqrt(x + k)
    end do
    if (x < 0) print *, x
  end subroutine delay
end program condition_reads_what_is_received
