! Who has a neighbour gets its border, and works on what is its own before it looks at it: the wait leaves the branch.
! The status of the receive is used by nobody.
program guarded_border
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, step
  integer :: status(mpi_status_size)
  double precision :: u(0:n), v(n), border(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 0, n
    u(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
  end do
  border = 0.0d0
  do step = 1, 4
    if (rank < ranks - 1) call mpi_send(u(1), n, mpi_double_precision, rank + 1, step, mpi_comm_world, ierr)
    if (rank > 0) then
      call mpi_recv(border, n, mpi_double_precision, rank - 1, step, mpi_comm_world, status, ierr)
    end if
    do i = 1, n
      v(i) = 0.5d0 * (u(i) + u(i-1))
    end do
    do i = 1, n
      u(i) = v(i) + border(i) * 0.0625d0
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + u(i) * dble(mod(i, 13))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program guarded_border
