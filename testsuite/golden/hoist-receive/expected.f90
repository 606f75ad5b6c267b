! A message travels along a chain of processes; the receive can be posted before the
! computation that does not need it.
program hoist_receive
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: edge(n), inner(n), halo(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  ! gravel: one handshake, a put per tile, was line 26: call mpi_send(edge, n, mpi_double_precision, next, ...
  call gravel_wait_rcv_buffer(edge, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       edge(i) = dble(rank + 1) / dble(i)
       halo(i) = 0.0d0
     end do
     call gravel_post_os_put(gravel_t1, edge, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: posted early, was line 32: call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world...
  call gravel_post_rcv_buffer_rdma(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, gravel_r1)
  ! gravel: sent tile by tile above, was line 26: call mpi_send(edge, n, mpi_double_precision, next, 5, mpi...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)

  do i = 1, n
    inner(i) = sqrt(dble(i)) * edge(i)
  end do

  ! gravel: waits here, was line 32: call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, ...
  call gravel_wait(gravel_r1, halo, status, ierr)

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + inner(i) + halo(i) * dble(mod(i, 7))
  end do
  ! gravel: the wait moved here, was line 26: call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_com...
  call gravel_wait(gravel_s1, edge)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program hoist_receive
