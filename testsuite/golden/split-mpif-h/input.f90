! Parts of the world communicator, with mpif.h, a one-line IF around the call that makes them, and a tag in a
! variable of the main program.
program split_mpif_h
  implicit none

  include 'mpif.h'
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: part, part_rank, part_size, tag
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  tag = 6
  if (ranks >= 1) call mpi_comm_split(mpi_comm_world, mod(rank, 2), rank, part, ierr)
  call mpi_comm_rank(part, part_rank, ierr)
  call mpi_comm_size(part, part_size, ierr)
  next = mod(part_rank + 1, part_size)
  prev = mod(part_rank - 1 + part_size, part_size)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, tag, part, request, ierr)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, tag, part, ierr)
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
end program split_mpif_h
