! The selector is an expression: the name has the values that the array had before it is received into.
! expect: without hoist-receive
program associate_with_copy
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: sending
  double precision :: sbuf(n), rbuf(n), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  rbuf = 3.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, sending, ierr)
  associate (old => (rbuf))
    do i = 1, n
      work(i) = old(i) * dble(i)
    end do
  end associate
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  call mpi_wait(sending, mpi_status_ignore, ierr)
  do i = 1, n
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
end program associate_with_copy
