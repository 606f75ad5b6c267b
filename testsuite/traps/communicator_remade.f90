! A communicator is freed and made anew in each step, each time with other ranks; MPI may use its handle
! again.
! expect: handled
program communicator_remade
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: part, part_rank, part_size, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 3
    do i = 1, n
      sbuf(i) = dble(rank + 1) * dble(mod(i, 9 - step))
    end do
    call mpi_comm_split(mpi_comm_world, mod(rank / step, 2), -rank, part, ierr)
    call mpi_comm_rank(part, part_rank, ierr)
    call mpi_comm_size(part, part_size, ierr)
    next = mod(part_rank + 1, part_size)
    prev = mod(part_rank - 1 + part_size, part_size)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, part, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, part, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    call mpi_comm_free(part, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program communicator_remade
