! Of several persistent requests only some are started; a wait for all of them ends all the same, and says so.
! expect: handled
program persistent_started_by_some
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: requests(4), statuses(mpi_status_size, 4), length
  double precision :: sbuf(n), rbuf(n)
  double precision :: other(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
  end do
  checksum = 0.0d0

  call mpi_recv_init(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_recv_init(other, n, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)
  call mpi_send_init(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
  call mpi_send_init(sbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
  other = 1.0d0
  do step = 1, 4
    call mpi_start(requests(1), ierr) ! trapped
    call mpi_start(requests(3), ierr)
    if (mod(step, 2) == 0) then
      call mpi_start(requests(4), ierr)
      call mpi_start(requests(2), ierr)
    end if
    do i = 1, n
      checksum = checksum + 0.25d0 * dble(mod(i * step, 11))
    end do
    call mpi_waitall(4, requests, statuses, ierr) ! trapped
    do i = 1, 2
      call mpi_get_count(statuses(:, i), mpi_double_precision, length, ierr)
      checksum = checksum + dble(i * length)
      if (length == 0 .and. statuses(mpi_tag, i) == mpi_any_tag) checksum = checksum + 0.5d0
    end do
    do i = 1, n
      checksum = checksum + other(i)
      other(i) = -1.0d0
    end do
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
      sbuf(i) = sbuf(i) + rbuf(i) * 0.5d0
    end do
  end do
  do i = 1, 4
    call mpi_request_free(requests(i), ierr)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_started_by_some
