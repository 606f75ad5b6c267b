! MPI is started where the name of the world communicator can't be seen.
program world_not_visible
  use mpi, only: mpi_init, mpi_finalize
  implicit none
  integer :: ierr

  call mpi_init(ierr)
  call work
  call mpi_finalize(ierr)
end program world_not_visible

subroutine work
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), a(n), w
  double precision :: checksum, checksums(max_ranks)

  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  w = 0.125d0
  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = a(i) * w + dble(step)
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 4, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      a(i) = a(i) + rbuf(i) * 0.25d0
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + a(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
end subroutine work
