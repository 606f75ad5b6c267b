! The object that holds the array which is received is a component of another one, and is replaced.
! expect: without sink-wait
module fields
  implicit none
  integer, parameter :: n = 20000
  type :: field
    double precision :: u(n), v(n)
  end type field
  type :: pair
    type(field) :: first, second
  end type pair
end module fields

program component_ends_with_its_object
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  type(pair) :: ours
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n)
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
  ours%first%u = 0.0d0
  ours%first%v = 1.0d0
  ours%second = ours%first
  call mpi_irecv(ours%first%u, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)
  ours%second = ours%first
  do i = 1, n
    checksum = checksum + ours%second%u(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program component_ends_with_its_object
