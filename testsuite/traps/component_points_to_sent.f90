! A message is received through a pointer component into the buffer of a send: the wait of that send must not sink below the
! receive, which does not name the buffer.
!
! expect: handled
! ranks: 2 4
program component_points_to_sent
  use mpi
  implicit none
  type t
    double precision, pointer :: p(:)
  end type
  integer, parameter :: n = 40000
  double precision, target :: x(n)
  double precision :: z(n)
  type(t) :: obj
  integer :: ierr, rank, ranks, next, prev, r0, r1, i, k
  double precision :: s
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks); prev = mod(rank - 1 + ranks, ranks)
  obj%p => x
  s = 0
  do k = 1, 3
    do i = 1, n
      x(i) = dble(i + rank * 10 + k)
    end do
    call mpi_irecv(z, n, mpi_double_precision, prev, 1, mpi_comm_world, r0, ierr)
    call mpi_isend(x, n, mpi_double_precision, next, 1, mpi_comm_world, r1, ierr) ! trapped
    call mpi_wait(r1, mpi_status_ignore, ierr) ! trapped
    call mpi_wait(r0, mpi_status_ignore, ierr)
    call mpi_sendrecv(z, n, mpi_double_precision, next, 2, obj%p(1), n, mpi_double_precision, prev, 2, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    s = s + sum(x)
    do i = 1, n
      z(i) = 0
    end do
  end do
  if (rank == 0) write (*, '(*(es24.16))') s, sum(x)
  call mpi_finalize(ierr)
end program component_points_to_sent
