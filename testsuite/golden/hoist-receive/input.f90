! A message travels along a chain of processes; the receive can be posted before the
! computation that does not need it.
program hoist_receive
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: edge(n), inner(n), halo(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  do i = 1, n
    edge(i) = dble(rank + 1) / dble(i)
    halo(i) = 0.0d0
  end do
  call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)

  do i = 1, n
    inner(i) = sqrt(dble(i)) * edge(i)
  end do

  call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, status, ierr)

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + inner(i) + halo(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program hoist_receive
