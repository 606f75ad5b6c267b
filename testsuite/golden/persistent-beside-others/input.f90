! Persistent sends that a directive leaves with MPI; the messages with another tag do not depend on them.
program persistent_beside_others
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, ierr, left, right, i, step
  integer :: requests(2)
  double precision :: field(n), shift(n), old(n), from_left(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  !$gravel skip
  call mpi_send_init(old, n, mpi_double_precision, right, 1, mpi_comm_world, requests(1), ierr)
  call mpi_recv_init(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, requests(2), ierr)
  checksum = 0.0d0
  do step = 1, 4
    old = field
    call mpi_startall(2, requests, ierr)
    do i = 1, n
      checksum = checksum + field(i) * dble(mod(i, 9))
    end do
    call mpi_sendrecv(field, n, mpi_double_precision, left, 2, shift, n, mpi_double_precision, right, 2, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = 0.5d0 * field(i) + 0.125d0 * shift(i)
    end do
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    do i = 1, n
      field(i) = field(i) - 0.25d0 * from_left(i)
    end do
  end do
  do i = 1, 2
    call mpi_request_free(requests(i), ierr)
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_beside_others
