! Some processes get no communicator, others are in one by themselves; those do not send to anybody else.
! expect: handled
program communicator_of_some
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: part, part_rank, part_size, colour
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
  rbuf = 0.5d0
  colour = rank / 2
  if (rank == 3) colour = mpi_undefined
  if (rank < 16) call mpi_comm_split(mpi_comm_world, colour, rank, part, ierr)
  if (part /= mpi_comm_null) then
    call mpi_comm_rank(part, part_rank, ierr)
    call mpi_comm_size(part, part_size, ierr)
    next = mod(part_rank + 1, part_size)
    prev = mod(part_rank - 1 + part_size, part_size)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, part, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, part, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    call mpi_comm_free(part, ierr)
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
end program communicator_of_some
