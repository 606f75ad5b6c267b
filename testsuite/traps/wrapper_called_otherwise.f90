! A procedure only sends. One call of it can be taken for the send that it makes, and what it sends is received where
! threads are: that class stays with MPI. Another call hands it an array for a number. Who looks at the procedure's own send
! as if only that one call were left converts it, and with it the first one's message.
! expect: kept
! ranks: 2 3 4
program wrapper_called_otherwise
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next(1), prev, request, i
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next(1) = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call hand_on(sbuf, n, next(1), 1)
  call receive_in_threads(rbuf, n, prev)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 5))
  end do
  call hand_on(sbuf, n, next, 2)
  do i = 1, n
    sbuf(i) = sbuf(i) * 0.5d0
  end do
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + sbuf(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program wrapper_called_otherwise

subroutine hand_on(values, n, to, tag)
  use mpi
  implicit none
  integer :: n, to, tag
  double precision :: values(n)
  integer :: ierr

  call mpi_send(values, n, mpi_double_precision, to, tag, mpi_comm_world, ierr) ! trapped
end subroutine hand_on

subroutine receive_in_threads(values, n, from)
  use mpi
  implicit none
  integer :: n, from
  double precision :: values(n)
  integer :: ierr, i

  call mpi_recv(values, n, mpi_double_precision, from, 1, mpi_comm_world, mpi_status_ignore, ierr)
  !$omp parallel do
  do i = 1, n
    values(i) = values(i) * 0.5d0
  end do
end subroutine receive_in_threads
