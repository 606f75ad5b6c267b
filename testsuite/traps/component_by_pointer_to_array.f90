! A pointer leads to the array that is received.
! expect: without sink-wait
module fields
  implicit none
  integer, parameter :: n = 20000
  type :: field
    double precision :: u(n), v(n)
  end type field
end module fields

program component_by_pointer_to_array
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  type(field), target :: ours
  double precision, pointer :: p(:)
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
  ours%u = 0.0d0
  ours%v = 1.0d0
  p => ours%u
  call mpi_irecv(ours%u, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + p(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program component_by_pointer_to_array
