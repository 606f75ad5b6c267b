! Each buffer is received into again as soon as a wait for any has brought what was in it, and that was read: as often as
! there are messages, in whatever order they come.
! expect: without hoist-receive
program repost_after_waitany
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), in(n, 2), sums(2)
  integer :: receives(2), sends(2), which, k, left(2)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  sums = 0.0d0
  left = 3
  do k = 1, 2
    call mpi_irecv(in(1, k), n, mpi_double_precision, prev, k, mpi_comm_world, receives(k), ierr)
  end do
  do i = 1, 4
    call mpi_isend(sbuf, n - i, mpi_double_precision, next, 1, mpi_comm_world, sends(1), ierr)
    call mpi_isend(sbuf, n - 2 * i, mpi_double_precision, next, 2, mpi_comm_world, sends(2), ierr)
    do k = 1, 2
      call mpi_waitany(2, receives, which, mpi_status_ignore, ierr)
      sums(which) = sums(which) * 0.5d0 + sum(in(1:100, which)) * dble(which)
      in(1:100, which) = -1.0d0
      if (left(which) > 0) then
        left(which) = left(which) - 1
        call mpi_irecv(in(1, which), n, mpi_double_precision, prev, which, mpi_comm_world, receives(which), ierr) ! trapped
      end if
    end do
    call mpi_waitall(2, sends, mpi_statuses_ignore, ierr)
  end do
  do k = 1, 4
    call mpi_waitany(2, receives, which, mpi_status_ignore, ierr)
    if (which > 0) sums(which) = sums(which) * 0.5d0 + sum(in(1:100, which)) * dble(which)
  end do
  checksum = sums(1) + sums(2)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program repost_after_waitany
