! The loop is made of a GOTO, and the wait at its top completes the operation that was posted at its end: its buffer is
! another one than that of the post above the loop.
! expect: without sink-wait
program wait_above_post_by_goto
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, round, requests(2)
  double precision :: sbuf(n), first(n), others(n), field(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  field = 1.0d0
  first = 0.0d0
  others = 0.0d0
  round = 0
  call mpi_irecv(first, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
10 continue
  do i = 1, n
    sbuf(i) = dble(rank + round) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    field(i) = field(i) * 0.5d0 + others(i)
  end do
  do i = 1, n
    field(i) = field(i) * 0.5d0 + first(i)
  end do
  round = round + 1
  if (round < 4) then
    call mpi_irecv(others, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    goto 10
  end if
  checksum = sum(field)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program wait_above_post_by_goto
