! A persistent send still reads its buffer during the work above which the post of another receive, into the same
! buffer, could move. The wait in between names only requests.
! expect: without hoist-receive
program persistent_send_still_reads
  use mpi
  implicit none

  integer, parameter :: n = 200000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, requests(2), other, i, step
  double precision :: field(n), halo(n), more(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 9))
    more(i) = dble(rank + 7) * dble(mod(i, 5))
  end do

  call mpi_send_init(field, n, mpi_double_precision, next, 1, mpi_comm_world, requests(1), ierr)
  call mpi_recv_init(halo, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(2), ierr)
  checksum = 0.0d0
  do step = 1, 3
    call mpi_start(requests(1), ierr)
    call mpi_isend(more, n, mpi_double_precision, next, 2, mpi_comm_world, other, ierr)
    do i = 1, n
      checksum = checksum + 0.25d0 * dble(mod(i * step, 11))
    end do
    call mpi_start(requests(2), ierr)
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call mpi_recv(field, n, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    call mpi_wait(other, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + halo(i) * dble(mod(i, 7))
      more(i) = 0.5d0 * field(i) + halo(i)
    end do
  end do
  call mpi_request_free(requests(1), ierr)
  call mpi_request_free(requests(2), ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_send_still_reads
