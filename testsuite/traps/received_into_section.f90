! The message is received into a row of a matrix: the compiler passes a temporary and copies it back
! when the call returns, long before a message that was only posted has arrived.
! expect: kept unsupported-buffer
program received_into_section
  use mpi
  implicit none

  integer, parameter :: n = 5000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, send_request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), matrix(8, n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    matrix(:, i) = 0.5d0
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send_request, ierr)
  call mpi_recv(matrix(3, :), n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_wait(send_request, status, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + sum(matrix(:, i)) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program received_into_section
