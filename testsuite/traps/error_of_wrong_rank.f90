! Errors return. One process names ranks that its communicator does not have, in a send whose transfer would be opened above the loop
! that fills its message, and in a receive that would be posted above work: the codes belong to the program's own statements.
! expect: handled
! ranks: 2 4
program error_of_wrong_rank
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: to, from, code, other, class
  double precision :: sbuf(n), rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  to = next
  if (rank == 0) to = ranks + 3
  from = prev
  if (prev == 0) from = mpi_proc_null
  if (rank == 0) from = prev
  rbuf = 0.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, to, 1, mpi_comm_world, code) ! trapped
  class = 0
  if (code /= mpi_success) call mpi_error_class(code, class, ierr)
  work = 0.0d0
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_recv(rbuf, n, mpi_double_precision, from, 1, mpi_comm_world, status, other) ! trapped
  checksum = 0.0d0
  if (class == mpi_err_rank) checksum = checksum + 1.0d0
  if (other /= mpi_success) checksum = checksum + 2.0d0
  work = work + sum(rbuf)
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_recv(rbuf, n, mpi_double_precision, ranks + rank, 1, mpi_comm_world, status, other) ! trapped
  call mpi_error_class(other, class, ierr)
  if (class == mpi_err_rank) checksum = checksum + 4.0d0
  call mpi_send(sbuf, n, mpi_double_precision, next, -5, mpi_comm_world, other) ! trapped
  call mpi_error_class(other, class, ierr)
  if (class == mpi_err_tag) checksum = checksum + 8.0d0
  call mpi_send(sbuf, -1, mpi_double_precision, next, 1, mpi_comm_world, other) ! trapped
  call mpi_error_class(other, class, ierr)
  if (class == mpi_err_count) checksum = checksum + 16.0d0
  checksum = checksum + work

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_of_wrong_rank
