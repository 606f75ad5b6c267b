! The exchange is part of an IF statement whose condition is computed from the number of its line: a block stands in its place,
! perhaps on another line, and then nothing would be exchanged.
! expect: handled
program line_number_in_condition
  use mpi
  implicit none

  integer, parameter :: n = 20000, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sent(n), received(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  received = 0.0d0
  if (mod(__LINE__, 2) == 0) call mpi_sendrecv(sent, n, mpi_double_precision, next, 22, & ! trapped
    received, n, mpi_double_precision, prev, 22, mpi_comm_world, mpi_status_ignore, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program line_number_in_condition
