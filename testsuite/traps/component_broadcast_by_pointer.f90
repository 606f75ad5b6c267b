! The tag is a component, which one process sets anew for all by way of a pointer to the first component.
! expect: handled
module settings
  implicit none
  type :: parameters
    sequence
    integer :: first, second, tag
  end type parameters
end module settings

program component_broadcast_by_pointer
  use mpi
  use settings
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  type(parameters), target :: ours
  integer, pointer :: p
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  ours%first = 2
  ours%second = 2
  ours%tag = 1
  if (rank == 0) ours%tag = 2
  p => ours%first
  call mpi_bcast(p, 3, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, mpi_any_source, 2, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, ours%tag, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program component_broadcast_by_pointer
