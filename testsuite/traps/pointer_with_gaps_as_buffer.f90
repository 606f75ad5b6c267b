! A pointer as a whole is the buffer, and its elements lie apart: a copy of them is passed. Of an element of it the address is passed.
! expect: kept unsupported-buffer
program pointer_with_gaps_as_buffer
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 5000, max_ranks = 16
  double precision, target :: matrix(4, n)
  double precision, pointer :: row(:)
  integer :: request, ierr, rank, ranks, next, prev, i
  double precision :: received(n), four(4), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    matrix(:, i) = [1.0d0, 2.0d0, 3.0d0, 4.0d0] + dble(rank + i)
  end do
  row => matrix(2, :)
  call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(row, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = sum(received)
  call mpi_irecv(four, 4, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
  call mpi_send(row(3), 4, mpi_double_precision, next, 2, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, 4
    checksum = checksum + four(i)*dble(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program pointer_with_gaps_as_buffer
