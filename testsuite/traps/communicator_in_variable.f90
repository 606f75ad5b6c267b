! The communicator's variable holds MPI_COMM_WORLD in one place and a part of it in another, where
! ranks mean other processes: the messages of both are in one class, and the runtime is attached to both.
! expect: handled
program communicator_in_variable
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: comm, part, part_rank, part_size
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  call mpi_comm_split(mpi_comm_world, mod(rank, 2), -rank, part, ierr)
  checksum = 0.0d0
  do step = 1, 2
    comm = mpi_comm_world
    if (step == 2) comm = part
    call mpi_comm_rank(comm, part_rank, ierr)
    call mpi_comm_size(comm, part_size, ierr)
    next = mod(part_rank + 1, part_size)
    prev = mod(part_rank - 1 + part_size, part_size)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, comm, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, comm, ierr) ! trapped
    call mpi_wait(request, status, ierr) ! trapped
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
      sbuf(i) = sbuf(i) + 0.5d0 * rbuf(i)
    end do
  end do
  call mpi_comm_free(part, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program communicator_in_variable
