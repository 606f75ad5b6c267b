! The buffer is a component that lies inside of its object, and the datatype reaches into the component behind it, which the
! program works with until the message is waited for.
! expect: in-place
program datatype_beside_component
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  type :: field
    sequence
    double precision :: first(n)
    double precision :: second(n)
  end type field
  integer :: ierr, rank, ranks, next, prev, i, both
  integer :: requests(2)
  type(field) :: here, there
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    here%first(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    here%second(i) = dble(rank + 1) - dble(mod(i * 5, 29)) * 0.125d0
    there%first(i) = 0.0d0
    there%second(i) = 0.0d0
  end do
  call mpi_type_vector(2, n / 2, n, mpi_double_precision, both, ierr)
  call mpi_type_commit(both, ierr)
  call mpi_irecv(there%first, 1, both, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(here%first, 1, both, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + there%second(i) * dble(mod(i, 13))
  end do
  do i = 1, n
    checksum = checksum - there%first(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_beside_component
