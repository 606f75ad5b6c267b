! The tag is computed of the size of a variable that nobody ever gives a value. Both messages have that one tag, so that the
! second receive may not be posted first.
! expect: without hoist-receive
program tag_of_what_has_no_value
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, tag, pattern
  integer :: requests(2)
  double precision :: sent(n), more(n), first(n), second(n), w(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  tag = 2
  if (ranks > 0) tag = bit_size(pattern) / 32
  w = 1.0d0
  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 9))
    more(i) = dble(rank + 5) * dble(mod(i, 5))
  end do
  do i = 1, n
    first(i) = sent(i) + sqrt(w(i))
  end do
  w = w + first
  call mpi_irecv(first, n, mpi_double_precision, prev, tag, mpi_comm_world, requests(1), ierr)
  call mpi_irecv(second, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_send(sent, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_send(more, n, mpi_double_precision, next, tag, mpi_comm_world, ierr)
  call mpi_wait(requests(1), mpi_status_ignore, ierr)
  call mpi_wait(requests(2), mpi_status_ignore, ierr)
  do i = 1, n
    w(i) = w(i) * 2.0d0
  end do
  checksum = sum(w) + 3.0d0 * first(7) + 5.0d0 * second(8)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tag_of_what_has_no_value
