! A constant decides against the branch, and yet control comes into it, by a jump from outside (an extension): a receive does not
! leave that way.
! expect: without hoist-receive
program dead_branch_jumped_into
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  logical, parameter :: debug = .false.
  integer :: ierr, rank, ranks, next, prev, i, requests(2)
  double precision :: sbuf(n), rbuf(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  sbuf = [(dble(rank + 1) * dble(mod(i, 9)), i = 1, n)]
  rbuf = -1.0d0
  work = 0.0d0
  if (ranks > 0) goto 10
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  work = 1.0d0
  if (debug) then
    work = 2.0d0
10  work = work + 4.0d0
  end if
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  checksum = work + sum(rbuf)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

end program dead_branch_jumped_into
