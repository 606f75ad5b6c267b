! A sweep along a chain: each step needs what the process before has made of it, block by block.
program pipelined_sweep
  use mpi
  implicit none

  integer, parameter :: blocks = 5
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: incoming(n), outgoing(n), block(n, blocks), inner(n)
  integer :: b
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  do b = 1, blocks
    do i = 1, n
      block(i, b) = dble(rank + 1) + dble(mod(i + b, 18)) * 0.5d0
    end do
  end do
  do i = 1, n
    incoming(i) = 1.0d0
  end do
  do b = 1, blocks
    do i = 1, n
      inner(i) = block(i, b) * 0.5d0
    end do
    call mpi_recv(incoming, n, mpi_double_precision, prev, 50, mpi_comm_world, status, ierr)
    do i = 1, n
      outgoing(i) = inner(i) + 0.5d0 * incoming(i)
    end do
    call mpi_send(outgoing, n, mpi_double_precision, next, 50, mpi_comm_world, ierr)
    do i = 1, n
      block(i, b) = outgoing(i) - inner(i) * 0.25d0
    end do
  end do
  checksum = 0.0d0
  do b = 1, blocks
    do i = 1, n
      checksum = checksum + block(i, b) * dble(mod(i + 5*b, 12))
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
end program pipelined_sweep
