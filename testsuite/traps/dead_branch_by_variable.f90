! What switches the branch off is a variable with a first value, not a constant: it is read from elsewhere later.
! expect: without sink-wait
program dead_branch_by_variable
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  logical :: debug = .false.
  integer :: ierr, rank, ranks, next, prev, i, requests(2)
  double precision :: sbuf(n), rbuf(n), work, seen
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call read_switches()
  sbuf = [(dble(rank + 1) * dble(mod(i, 9)), i = 1, n)]
  rbuf = -1.0d0
  work = 0.0d0
  seen = 0.0d0
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
  call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
  if (debug) seen = sum(rbuf)
  do i = 1, n
    work = work + sqrt(dble(i))
  end do
  call mpi_wait(requests(2), mpi_status_ignore, ierr)
  checksum = work + seen + rbuf(n)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine read_switches()
    character(len=5) :: line
    line = ' true'
    read (line, *) debug
  end subroutine read_switches

end program dead_branch_by_variable
