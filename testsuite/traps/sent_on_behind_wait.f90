! What has been received is sent on from where it lies, in an array of which nobody knows which elements are meant. The two
! operations are not pending at the same time: the wait of the receive must not pass the post of the send, as it may pass
! the wait for a send that was posted before it.
! expect: without sink-wait
program sent_on_behind_wait
  use mpi
  implicit none

  integer, parameter :: n = 5000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step, first, second
  integer :: received, sent
  double precision :: sbuf(n), field(4 * n), last(n), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  first = 1 + command_argument_count()
  second = 1 + 2 * command_argument_count()

  checksum = 0.0d0
  field = -1.0d0
  do step = 1, 3
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call mpi_irecv(field(first), n, mpi_double_precision, prev, 1, mpi_comm_world, received, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(received, mpi_status_ignore, ierr) ! trapped
    call mpi_isend(field(second), n, mpi_double_precision, next, 2, mpi_comm_world, sent, ierr)
    do i = 1, n
      work(i) = sqrt(dble(i * step))
    end do
    call mpi_recv(last, n, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_wait(sent, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + last(i) * dble(mod(i, 7)) + work(i)
    end do
    field = -1.0d0
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program sent_on_behind_wait
