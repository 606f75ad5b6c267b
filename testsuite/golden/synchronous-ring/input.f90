! A ring of blocking synchronous sends: every other process receives first. The sends are filled tile by tile, the receives are
! posted above the work of their own process, and nothing that others could see changes places with either.
program ring
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, rank, ranks, left, right, step, i
  integer :: status(mpi_status_size)
  double precision :: outgoing(n), incoming(n), field(n), checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  if (ranks == 1) then
    left = mpi_proc_null
    right = mpi_proc_null
  end if
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 11)) * 0.25d0
    incoming(i) = 0.0d0
  end do
  do step = 1, 5
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(step)
    end do
    ! The last process of an odd number of them receives first, too: no two neighbours wait for each other.
    if (mod(rank, 2) == 0 .and. rank /= ranks - 1) then
      call mpi_ssend(outgoing, n, mpi_double_precision, right, 1, mpi_comm_world, ierr)
      call mpi_recv(incoming, n, mpi_double_precision, left, 1, mpi_comm_world, status, ierr)
    else
      do i = 1, n
        field(i) = field(i) * 0.75d0
      end do
      call mpi_recv(incoming, n, mpi_double_precision, left, 1, mpi_comm_world, status, ierr)
      call mpi_ssend(outgoing, n, mpi_double_precision, right, 1, mpi_comm_world, ierr)
      do i = 1, n
        field(i) = field(i) + 1.0d0
      end do
    end if
    do i = 1, n
      field(i) = field(i) + incoming(i) * 0.125d0
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 7))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  call mpi_finalize(ierr)
end program ring
