! Everybody sends pieces of lengths of its own to rank 0, which asks for each how long it is and who has sent it, and then receives
! it. A receive of another tag goes above the probe; that of what the probe finds does not.
program probes
  use mpi
  implicit none

  integer, parameter :: n = 12000, max_ranks = 16
  integer :: i, k, length, from
  integer :: status(mpi_status_size)
  double precision :: piece(n), sums(0:max_ranks), weights(n), halo(n), ring(n), local
  double precision, allocatable :: taken(:)
  integer :: ierr, rank, ranks, next, prev, request

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  sums = 0.0d0
  local = 0.0d0
  do i = 1, n
    weights(i) = dble(mod(i * 7, 13)) * 0.25d0
    ring(i) = dble(rank)
  end do
  if (rank /= 0) then
    do i = 1, n
      piece(i) = weights(i) * dble(rank)
    end do
    call mpi_send(piece, n - 10 * rank, mpi_double_precision, 0, 5, mpi_comm_world, ierr)
  else
    do k = 1, ranks - 1
      call mpi_probe(mpi_any_source, 5, mpi_comm_world, status, ierr)
      call mpi_get_count(status, mpi_double_precision, length, ierr)
      from = status(mpi_source)
      allocate (taken(length))
      call mpi_recv(taken, length, mpi_double_precision, from, 5, mpi_comm_world, mpi_status_ignore, ierr)
      do i = 1, length
        sums(from) = sums(from) + taken(i)
      end do
      deallocate (taken)
    end do
  end if
  call mpi_isend(ring, n, mpi_double_precision, next, 6, mpi_comm_world, request, ierr)
  do i = 1, n
    local = local + weights(i)
  end do
  call mpi_probe(prev, 6, mpi_comm_world, mpi_status_ignore, ierr)
  do i = 1, n
    local = local + weights(i) * 0.5d0
  end do
  call mpi_recv(halo, n, mpi_double_precision, mpi_any_source, 6, mpi_comm_world, status, ierr)
  do i = 1, n
    local = local + halo(i)
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  if (status(mpi_source) /= prev) local = -1.0d0
  call mpi_gather(local, 1, mpi_double_precision, halo, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do k = 0, ranks - 1
      print '(i0, 2es24.16)', k, sums(k), halo(k + 1)
    end do
  end if
  call mpi_finalize(ierr)
end program probes
