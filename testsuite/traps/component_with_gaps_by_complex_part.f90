! The array that is sent is a component which a pointer assignment gives the real parts of complex numbers: MPI gets a copy.
! expect: kept unsupported-buffer
module neighbours
  implicit none
  type :: neighbour
    integer :: rank
    double precision, pointer :: values(:)
  end type neighbour
end module neighbours

program component_with_gaps_by_complex_part
  use mpi
  use neighbours
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  type(neighbour), allocatable :: to(:), from(:)
  complex(kind(1.0d0)), target :: field(n)
  integer :: ierr, rank, ranks, request, i, step
  integer :: status(mpi_status_size)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  checksum = 0.0d0
  allocate (to(1), from(1))
  allocate (from(1)%values(n))
  to(1)%values => field%re
  to(1)%rank = mod(rank + 1, ranks)
  from(1)%rank = mod(rank - 1 + ranks, ranks)

  do step = 1, 3
    do i = 1, n
      field(i) = cmplx(rank + 1, mod(i * 7 + step, 23), kind(1.0d0)) * 0.125d0
    end do
    call mpi_irecv(from(1)%values, n, mpi_double_precision, from(1)%rank, 5, mpi_comm_world, request, ierr)
    call mpi_send(to(1)%values, n, mpi_double_precision, to(1)%rank, 5, mpi_comm_world, ierr) ! trapped
    do i = 1, n
      checksum = checksum + aimag(field(i)) * 1.0d-3
    end do
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + from(1)%values(i) * dble(mod(i, 11))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(i0, a, es22.14)') i - 1, ': ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program component_with_gaps_by_complex_part
