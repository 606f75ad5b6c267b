! Everybody sends pieces of lengths of its own to rank 0, which asks for each how long it is and who has sent it, and then receives
! it. A receive of another tag goes above the probe; that of what the probe finds does not.
program probes
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 12000, max_ranks = 16
  integer :: i, k, length, from
  integer :: status(mpi_status_size)
  double precision :: piece(n), sums(0:max_ranks), weights(n), halo(n), ring(n), local
  double precision, allocatable :: taken(:)
  integer :: ierr, rank, ranks, next, prev, request
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: null where the branch below is not taken
  gravel_s1 = gravel_request_null
  if (rank /= 0) then
    do i = 1, n
      piece(i) = weights(i) * dble(rank)
    end do
    ! gravel: sent without waiting, was line 29: call mpi_send(piece, n - 10 * rank, mpi_double_precision, ...
    call gravel_post_snd_buffer_rdma(piece, n - 10 * rank, mpi_double_precision, 0, 5, mpi_comm_world, &
         gravel_s1, ierr)
  else
    do k = 1, ranks - 1
      ! gravel: looks here, was line 32: call mpi_probe(mpi_any_source, 5, mpi_comm_world, status, ierr)
      call gravel_probe(mpi_any_source, 5, mpi_comm_world, status, ierr)
      call mpi_get_count(status, mpi_double_precision, length, ierr)
      from = status(mpi_source)
      allocate (taken(length))
      ! gravel: posted here, was line 36: call mpi_recv(taken, length, mpi_double_precision, from, 5, mpi_c...
      call gravel_post_rcv_announced(taken, length, mpi_double_precision, from, 5, mpi_comm_world, gravel_r1)
      call gravel_wait(gravel_r1, taken, ierr)
      do i = 1, length
        sums(from) = sums(from) + taken(i)
      end do
      deallocate (taken)
    end do
  end if
  ! gravel: sent without waiting, was line 43: call mpi_isend(ring, n, mpi_double_precision, next, 6, mpi_c...
  call gravel_post_snd_buffer_rdma(ring, n, mpi_double_precision, next, 6, mpi_comm_world, request, ierr)
  do i = 1, n
    local = local + weights(i)
  end do
  ! gravel: looks here, was line 47: call mpi_probe(prev, 6, mpi_comm_world, mpi_status_ignore, ierr)
  call gravel_probe(prev, 6, mpi_comm_world, mpi_status_ignore, ierr)
  ! gravel: posted early, was line 51: call mpi_recv(halo, n, mpi_double_precision, mpi_any_source, 6, mpi_...
  call gravel_post_rcv_announced(halo, n, mpi_double_precision, mpi_any_source, 6, mpi_comm_world, gravel_r2)
  do i = 1, n
    local = local + weights(i) * 0.5d0
  end do
  ! gravel: waits here, was line 51: call mpi_recv(halo, n, mpi_double_precision, mpi_any_source, 6, mpi_co...
  call gravel_wait(gravel_r2, halo, status, ierr)
  do i = 1, n
    local = local + halo(i)
  end do
  ! gravel: waits here, was line 55: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(request, ring, ierr)
  ! gravel: the wait moved here, was line 29: call mpi_send(piece, n - 10 * rank, mpi_double_precision, 0, ...
  call gravel_wait(gravel_s1, piece)
  if (status(mpi_source) /= prev) local = -1.0d0
  call mpi_gather(local, 1, mpi_double_precision, halo, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do k = 0, ranks - 1
      print '(i0, 2es24.16)', k, sums(k), halo(k + 1)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program probes
