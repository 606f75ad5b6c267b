! The program works on a duplicate of MPI_COMM_WORLD, which a subroutine makes.
program own_communicator
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: comm, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  call set_up(comm)
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, comm, request, ierr)
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 4, comm, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end do
  call mpi_comm_free(comm, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program own_communicator

subroutine set_up(comm)
  use mpi
  implicit none
  integer, intent(out) :: comm
  integer :: ierr

  call mpi_comm_dup(mpi_comm_world, comm, ierr)
end subroutine set_up
