! The message is a row of blocks that a derived datatype describes: what the loop fills is not the message, one for one.
! expect: without strip-mine-producer
program derived_datatype
  use mpi
  implicit none

  integer, parameter :: rows = 8, columns = 5000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j
  integer :: status(mpi_status_size)
  double precision :: matrix(rows, columns), rbuf(rows*columns)
  integer :: row_type
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 1, columns
    do i = 1, rows
      matrix(i, j) = dble(rank + 1) + dble(mod(i + 3*j, 14))
    end do
  end do
  call mpi_type_vector(columns, 1, rows, mpi_double_precision, row_type, ierr)
  call mpi_type_commit(row_type, ierr)
  call mpi_irecv(rbuf, columns, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(matrix(2, 1), 1, row_type, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr) ! trapped
  call mpi_type_free(row_type, ierr)
  checksum = 0.0d0
  do i = 1, columns
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
end program derived_datatype
