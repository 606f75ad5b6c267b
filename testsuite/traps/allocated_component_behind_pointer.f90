! An allocatable component is received into behind a pointer to its object, and read and sent by the object's own name.
!
! expect: handled
! ranks: 2 4
program allocated_component_behind_pointer
  implicit none
  include 'mpif.h'
  type t
    double precision, allocatable :: a(:)
  end type
  integer, parameter :: n = 40000
  type(t), target :: o
  type(t), pointer :: p
  double precision :: z(n), s
  integer :: ierr, rank, ranks, next, prev, r1, r2, i, k
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks); prev = mod(rank - 1 + ranks, ranks)
  allocate(o%a(n))
  p => o
  s = 0
  do k = 1, 4
    do i = 1, n
      z(i) = dble(i + rank * 10 + k)
    end do
    call mpi_irecv(p%a(1), n, mpi_double_precision, prev, 1, mpi_comm_world, r1, ierr) ! trapped
    call mpi_send(z, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(r1, mpi_status_ignore, ierr)
    do i = 1, n
      o%a(i) = o%a(i) * 0.5d0
    end do
    call mpi_irecv(z, n, mpi_double_precision, prev, 2, mpi_comm_world, r2, ierr)
    call mpi_send(o%a, n, mpi_double_precision, next, 2, mpi_comm_world, ierr) ! trapped
    call mpi_wait(r2, mpi_status_ignore, ierr)
    s = s + sum(p%a) + sum(z)
  end do
  if (rank == 0) write (*, '(*(es24.16))') s
  call mpi_finalize(ierr)
end program allocated_component_behind_pointer
