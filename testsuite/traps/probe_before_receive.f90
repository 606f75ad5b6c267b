! There is work above a probe and between it and the receive of the message that it finds. A receive that was posted above the probe
! would take the message, and the probe would wait for ever. Each process takes two messages of each other one.
! expect: handled
program probe_before_receive
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, k, source
  integer :: status(mpi_status_size), fives(0:max_ranks - 1), sixes(0:max_ranks - 1)
  double precision :: sent(n, 2), taken(n), weights(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    sent(i, 1) = dble(rank + 1) * dble(mod(i, 9))
    sent(i, 2) = dble(rank + 2) * dble(mod(i, 5))
    weights(i) = 1.0d0
  end do
  fives = mpi_request_null
  sixes = mpi_request_null
  do k = 0, ranks - 1
    if (k == rank) cycle
    call mpi_isend(sent(1, 1), n, mpi_double_precision, k, 5, mpi_comm_world, fives(k), ierr)
    call mpi_isend(sent(1, 2), n, mpi_double_precision, k, 6, mpi_comm_world, sixes(k), ierr)
  end do
  checksum = 0.0d0
  do k = 1, 2 * (ranks - 1)
    do i = 1, n
      weights(i) = weights(i) + dble(mod(i * k, 3))
    end do
    call mpi_probe(mpi_any_source, mpi_any_tag, mpi_comm_world, status, ierr)
    source = status(mpi_source)
    do i = 1, n
      weights(i) = weights(i) + dble(mod(i + k, 2))
    end do
    if (status(mpi_tag) == 5) then
      call mpi_recv(taken, n, mpi_double_precision, source, 5, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    else
      call mpi_recv(taken, n, mpi_double_precision, source, mpi_any_tag, mpi_comm_world, status, ierr) ! trapped
      if (status(mpi_tag) /= 6) checksum = checksum - 1.0d9
    end if
    do i = 1, n
      checksum = checksum + taken(i)
    end do
  end do
  call mpi_waitall(max_ranks, fives, mpi_statuses_ignore, ierr)
  call mpi_waitall(max_ranks, sixes, mpi_statuses_ignore, ierr)
  checksum = checksum + sum(weights)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program probe_before_receive
