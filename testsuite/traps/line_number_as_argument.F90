! The tag of a send is the number of the line where it stands, and that of its receive is written as a number: on another line
! the two would not meet.
! expect: kept unrepeatable-arguments
program line_number_as_argument
  use mpi
  implicit none

  integer, parameter :: n = 20000, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request
  double precision :: sent(n), received(n), work, checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  work = 0.0d0
  do i = 1, n
    work = work + dble(mod(i, 5)) / dble(i)
  end do
  call mpi_irecv(received, n, mpi_double_precision, prev, 26, mpi_comm_world, request, ierr)
  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sent, n, mpi_double_precision, next, __LINE__, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = work
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
end program line_number_as_argument
