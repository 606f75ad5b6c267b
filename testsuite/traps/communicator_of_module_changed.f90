! The communicator is a variable of a module, which one subroutine sets to MPI_COMM_WORLD and another one to a
! part of it, in which ranks mean other processes.
! expect: handled
module communicators
  use mpi
  implicit none
  integer :: comm

contains

  subroutine use_world
    comm = mpi_comm_world
  end subroutine use_world

  subroutine use_part(rank)
    integer, intent(in) :: rank
    integer :: ierr

    call mpi_comm_split(mpi_comm_world, mod(rank, 2), -rank, comm, ierr)
  end subroutine use_part

end module communicators

program communicator_of_module_changed
  use mpi
  use communicators
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: part_rank, part_size
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
  call use_world
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, comm, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, comm, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  call use_part(rank)
  call mpi_comm_rank(comm, part_rank, ierr)
  call mpi_comm_size(comm, part_size, ierr)
  next = mod(part_rank + 1, part_size)
  prev = mod(part_rank - 1 + part_size, part_size)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, comm, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, comm, ierr) ! trapped
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
end program communicator_of_module_changed
