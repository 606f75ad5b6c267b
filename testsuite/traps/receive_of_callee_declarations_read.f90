! The procedure whose first statement is a receive has arrays and a string that are as long as the buffer says when it begins: its
! callers must not post the receive.
! ranks: 1 2 3
! expect: without hoist-receive
module exchanges
  use mpi
  implicit none
  integer, parameter :: n = 5000
  integer :: left, right, seen = 0
  double precision :: halo(n) = 4
contains

  pure integer function elements()
    elements = int(halo(1))
  end function elements

  subroutine by_argument(b, a)
    double precision, intent(inout) :: b(n), a(n)
    double precision :: work(int(b(1)))
    integer :: request, ierr
    call mpi_irecv(b, n, mpi_double_precision, left, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(a, n, mpi_double_precision, right, 1, mpi_comm_world, ierr)
    seen = seen + size(work)
    call mpi_wait(request, mpi_status_ignore, ierr)
  end subroutine by_argument

  subroutine by_function(a)
    double precision, intent(inout) :: a(n)
    double precision :: work(elements())
    integer :: request, ierr
    call mpi_irecv(halo, n, mpi_double_precision, left, 2, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(a, n, mpi_double_precision, right, 2, mpi_comm_world, ierr)
    seen = seen + 100 * size(work)
    call mpi_wait(request, mpi_status_ignore, ierr)
  end subroutine by_function

  subroutine by_length(b, a)
    double precision, intent(inout) :: b(n), a(n)
    character(int(b(2))) :: text
    integer :: request, ierr
    call mpi_irecv(b, n, mpi_double_precision, left, 3, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(a, n, mpi_double_precision, right, 3, mpi_comm_world, ierr)
    seen = seen + 10000 * len(text)
    call mpi_wait(request, mpi_status_ignore, ierr)
  end subroutine by_length

end module exchanges

program receive_of_callee_declarations_read
  use exchanges
  implicit none
  double precision :: a(n), b(n), c(n), w(n), own(2)
  double precision, allocatable :: all(:, :)
  integer :: i, step, me, ranks, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  b = 3
  c = 2
  w = 1
  do step = 1, 3
    do i = 1, n
      a(i) = mod(i, 7) + step + me
    end do
    call work_on(w)
    call by_argument(b, a)
    call work_on(w)
    call by_function(a)
    call work_on(w)
    call by_length(c, a)
    w = w + b + c + halo
  end do
  own = [sum(w), dble(seen)]
  allocate (all(2, ranks))
  call mpi_gather(own, 2, mpi_double_precision, all, 2, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(2es24.16)', all
  call mpi_finalize(ierr)
contains
  subroutine work_on(w)
    double precision, intent(inout) :: w(n)
    integer :: k
    do k = 1, n
      w(k) = 0.5d0 * w(k) + k
    end do
  end subroutine work_on
end program receive_of_callee_declarations_read
