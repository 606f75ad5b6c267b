! The source comes from a component to which the definition of its type gives MPI_ANY_SOURCE: no statement names it.
! expect: handled
module neighbours
  use mpi
  implicit none
  type :: neighbour
    integer :: rank = mpi_any_source
  end type neighbour
end module neighbours

program any_source_by_initial_component
  use mpi
  use neighbours
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, source
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)
  type(neighbour) :: left

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  source = left%rank
  call mpi_irecv(rbuf, n, mpi_double_precision, source, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_source_by_initial_component
