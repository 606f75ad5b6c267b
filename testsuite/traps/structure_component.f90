! The buffer is a component of a structure that is assigned as a whole after the send.
! expect: handled
program structure_component
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  type :: part
    double precision :: weight
    double precision :: edge(n)
  end type part
  type(part) :: mine, other
  double precision :: rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  mine%weight = 2.0d0
  other%weight = 3.0d0
  work = 0.0d0
  do i = 1, n
    mine%edge(i) = dble(rank + 1) * dble(mod(i, 9))
    other%edge(i) = -1.0d0
  end do
  if (mod(rank, 2) == 1) then
    work = 1.0d0
    do i = 1, 400000
      work = 1.0d0 + 1.0d0 / work
    end do
  end if
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(mine%edge, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  mine = other
  call mpi_wait(request, status, ierr)
  checksum = mine%weight + work
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + mine%edge(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program structure_component
