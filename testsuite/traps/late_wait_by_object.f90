! The exchange is called through an object, in a module that the one of the exchange imports: no variable of that module can be
! seen where the call stands.
! expect: handled
module base
  implicit none
  integer, parameter :: n = 1000
  type, abstract :: solver
  contains
    procedure(swap), deferred :: exchange
    procedure :: step
  end type solver
  abstract interface
    subroutine swap(self, u)
      import :: solver, n
      class(solver), intent(in) :: self
      double precision, intent(inout) :: u(2*n)
    end subroutine swap
  end interface
contains
  subroutine step(self, u, w)
    class(solver), intent(in) :: self
    double precision, intent(inout) :: u(2*n), w(n)
    integer :: i
    call self%exchange(u)
    do i = 1, n
      w(i) = w(i) + i
    end do
    w(1) = w(1) + u(n+1)
  end subroutine step
end module base
module impl
  use mpi
  use base
  implicit none
  type, extends(solver) :: ring
    integer :: left = 0, right = 0
  contains
    procedure :: exchange => ring_exchange
  end type ring
contains
  subroutine ring_exchange(self, u)
    class(ring), intent(in) :: self
    double precision, intent(inout) :: u(2*n)
    integer :: ierr
    call mpi_sendrecv(u, n, mpi_double_precision, self%right, 1, u(n+1), n, mpi_double_precision, self%left, 1, & ! trapped
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine ring_exchange
end module impl
program late_wait_by_object
  use mpi
  use impl
  implicit none
  type(ring) :: r
  double precision :: u(2*n), w(n), sums(2)
  integer :: ierr, rank, ranks, k
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  r%left = modulo(rank-1, ranks)
  r%right = modulo(rank+1, ranks)
  w = 0
  do k = 1, 2*n
    u(k) = k + rank
  end do
  do k = 1, 3
    call r%step(u, w)
  end do
  sums = [sum(u), sum(w)] * (rank + 1)
  call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  if (rank == 0) print '(2es24.16)', sums
  call mpi_finalize(ierr)
end program late_wait_by_object
