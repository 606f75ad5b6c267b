! The bounds of an automatic array of a called procedure, and the length of a string, look at the receive buffer.
! expect: without hoist-receive
program bounds_of_callee_read_buffer
  use mpi
  implicit none

  integer :: other
  double precision :: checksums(16)
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision :: incoming(n), outgoing(n), work(n), checksum

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  incoming = 0.0d0
  outgoing = dble(rank + 5)
  call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  do i = 1, n
    work(i) = sqrt(dble(i)) + sin(dble(i))
  end do
  call look()
  call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  checksum = checksum + sum(incoming) + sum(work)
  call mpi_wait(request, mpi_status_ignore, ierr)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do other = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', other - 1, ' checksum ', checksums(other)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine look()
    double precision :: scratch(3 + int(incoming(1)))
    character(len=2 + int(incoming(2))) :: text

    scratch = 1.0d0
    text = 'a'
    checksum = checksum + size(scratch) + len(text)
  end subroutine look
end program bounds_of_callee_read_buffer
