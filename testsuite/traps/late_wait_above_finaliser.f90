! An object of the procedure that waits at its end is finalised behind that, and the finaliser reads what has come: its callers
! must not wait for it.
! ranks: 1 2 3
! expect: without sink-wait
module exchanges
  use mpi
  implicit none
  integer, parameter :: n = 5000
  integer :: left, right
  double precision :: halo(n) = 4, seen = 0
  type :: guard
    integer :: place = 3
  contains
    final :: look
  end type guard
contains

  subroutine look(it)
    type(guard), intent(inout) :: it
    seen = seen + halo(it%place)
  end subroutine look

  subroutine exchange(a)
    double precision, intent(inout) :: a(n)
    type(guard) :: own
    integer :: request, ierr
    own%place = 5
    call mpi_irecv(halo, n, mpi_double_precision, left, 1, mpi_comm_world, request, ierr)
    call mpi_send(a, n, mpi_double_precision, right, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end subroutine exchange

  subroutine exchange_allocated(a)
    double precision, intent(inout) :: a(n)
    class(guard), allocatable :: own
    integer :: request, ierr
    allocate (own)
    call mpi_irecv(halo, n, mpi_double_precision, left, 2, mpi_comm_world, request, ierr)
    call mpi_send(a, n, mpi_double_precision, right, 2, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end subroutine exchange_allocated

end module exchanges

program late_wait_above_finaliser
  use exchanges
  implicit none
  double precision :: a(n), w(n), own(2)
  double precision, allocatable :: all(:, :)
  integer :: i, step, me, ranks, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  w = 1
  do step = 1, 3
    do i = 1, n
      a(i) = mod(i, 7) + step + me
    end do
    call exchange(a)
    call work_on(w)
    w = w + halo
    call exchange_allocated(a)
    call work_on(w)
    w = w + halo
  end do
  own(1) = sum(w)
  own(2) = seen
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
end program late_wait_above_finaliser
