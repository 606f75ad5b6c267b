! The first message says with which tag the second one is sent: the wait for it must not pass the loop that fills that,
! where its transfer is opened.
! expect: without sink-wait
program tag_received_before_transfer
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, second, i
  double precision :: sbuf(n), rbuf(n), work(n)
  integer :: tag, own
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  own = 3
  tag = 0
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 3, mpi_comm_world, request, ierr)
  call mpi_irecv(tag, 1, mpi_integer, prev, 1, mpi_comm_world, second, ierr)
  call mpi_send(own, 1, mpi_integer, next, 1, mpi_comm_world, ierr)
  call mpi_wait(second, mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, tag, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    work(i) = sqrt(dble(i + rank))
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + work(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tag_received_before_transfer
