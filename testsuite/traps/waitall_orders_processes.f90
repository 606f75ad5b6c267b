! A token goes from process to process, and each one waits for it together with another message
! before it hands it on. A wait that sinks below the next send, or a send that is done above the
! wait, lets the token overtake the message that reports on it.
! expect: handled
program waitall_orders_processes
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n)
  integer :: requests(3), token, order
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  order = 0
  token = 0
  checksum = 0.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  requests(2) = mpi_request_null
  if (rank > 0) call mpi_irecv(token, 1, mpi_integer, rank - 1, 2, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_waitall(3, requests, mpi_statuses_ignore, ierr) ! trapped
  do i = 1, n
    sbuf(i) = 0.0d0
  end do
  order = token + 1
  if (rank < ranks - 1) then
    call mpi_isend(order, 1, mpi_integer, rank + 1, 2, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
  end if
  checksum = dble(order) + sbuf(1)
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
end program waitall_orders_processes
