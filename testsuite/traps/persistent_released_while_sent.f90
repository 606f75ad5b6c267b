! Persistent sends are released when they have been started; the message arrives all the same.
! expect: handled
program persistent_released_while_sent
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: incoming, outgoing, answer
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
  end do
  checksum = 0.0d0

  do step = 1, 3
    call mpi_send_init(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, outgoing, ierr) ! trapped
    call mpi_start(outgoing, ierr) ! trapped
    call mpi_request_free(outgoing, ierr) ! trapped
    do i = 1, n
      checksum = checksum + 0.25d0 * dble(mod(i * step, 11))
    end do
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, incoming, ierr)
    call mpi_wait(incoming, mpi_status_ignore, ierr)
    call mpi_sendrecv(step, 1, mpi_integer, prev, 2, answer, 1, mpi_integer, next, 2, mpi_comm_world, &
                      mpi_status_ignore, ierr)
    checksum = checksum + dble(answer)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
      sbuf(i) = sbuf(i) + rbuf(i) * 0.5d0
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_released_while_sent
