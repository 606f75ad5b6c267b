! Half of the processes duplicate MPI_COMM_WORLD in one branch, the others in the other: it is one
! communicator, on which the messages of both branches meet. One of them is received from any process.
! ranks: 2 4
! expect: handled
program communicator_made_at_two_places
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: one, other
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
  if (mod(rank, 2) == 0) then
    call mpi_comm_dup(mpi_comm_world, one, ierr)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, one, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, one, ierr) ! trapped
    call mpi_wait(request, status, ierr)
  else
    call mpi_comm_dup(mpi_comm_world, other, ierr)
    call mpi_irecv(rbuf, n, mpi_double_precision, mpi_any_source, 1, other, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, other, ierr) ! trapped
    call mpi_wait(request, status, ierr)
  end if
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
end program communicator_made_at_two_places
