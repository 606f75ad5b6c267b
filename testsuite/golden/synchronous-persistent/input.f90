! Persistent synchronous sends: described once, started in every step, and waited for below the work.
program persistent
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, left, right, step, i
  integer :: requests(2), statuses(mpi_status_size, 2)
  double precision :: outgoing(n), incoming(n), field(n), checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  call mpi_ssend_init(outgoing, n, mpi_double_precision, right, 1, mpi_comm_world, requests(1), ierr)
  call mpi_recv_init(incoming, n, mpi_double_precision, left, 1, mpi_comm_world, requests(2), ierr)
  do step = 1, 4
    outgoing = field
    call mpi_startall(2, requests, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + dble(step)
    end do
    call mpi_waitall(2, requests, statuses, ierr)
    do i = 1, n
      field(i) = field(i) + incoming(i) * 0.25d0
    end do
  end do
  call mpi_request_free(requests(1), ierr)
  call mpi_request_free(requests(2), ierr)
  checksum = sum(field)
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  call mpi_finalize(ierr)
end program persistent
