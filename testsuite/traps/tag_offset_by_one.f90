! send(to=me+1, tag=me) meets recv(from=me-1, tag=me-1): comparing the two tags as if they belonged
! to one process would put them into different classes. The receive has to stay (its buffer is a row
! of a matrix), so that the send has to stay, too.
! expect: kept
program tag_offset_by_one
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, send_request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), matrix(4, n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  call mpi_isend(sbuf, n, mpi_double_precision, next, rank, mpi_comm_world, send_request, ierr) ! trapped
  call mpi_recv(matrix(2, :), n, mpi_double_precision, prev, mod(rank - 1 + ranks, ranks), & ! trapped
                mpi_comm_world, status, ierr)
  call mpi_wait(send_request, status, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + matrix(2, i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tag_offset_by_one
