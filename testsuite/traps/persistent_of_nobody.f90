! Persistent operations with nobody at the ends of a line, whose buffers stay as they are.
! expect: handled
program persistent_of_nobody
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: incoming, outgoing
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

  if (rank == 0) prev = mpi_proc_null
  if (rank == ranks - 1) next = mpi_proc_null
  call mpi_recv_init(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, incoming, ierr)
  call mpi_send_init(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, outgoing, ierr)
  do step = 1, 3
    call mpi_start(incoming, ierr) ! trapped
    call mpi_start(outgoing, ierr)
    do i = 1, n
      checksum = checksum + 0.25d0 * dble(mod(i * step, 11))
    end do
    call mpi_wait(incoming, mpi_status_ignore, ierr) ! trapped
    call mpi_wait(outgoing, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
      sbuf(i) = sbuf(i) + rbuf(i) * 0.5d0
    end do
  end do
  call mpi_request_free(incoming, ierr)
  call mpi_request_free(outgoing, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_of_nobody
