! Three messages between the same two processes are in flight at once; their tags tell them apart.
program several_tags
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: density(n), energy(n), momentum(n)
  double precision :: density_in(n), energy_in(n), momentum_in(n)
  integer :: density_request, energy_request, momentum_request
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1, gravel_s2, gravel_s3
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2, gravel_t3
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_hi1, gravel_hi2, gravel_hi3, gravel_step1, &
       gravel_step2, gravel_step3

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  ! gravel: posted here, was line 21: call mpi_irecv(density_in, n, mpi_double_precision, prev, 101, mpi_co...
  call gravel_post_rcv_buffer_rdma(density_in, n, mpi_double_precision, prev, 101, mpi_comm_world, &
       density_request, ierr)
  ! gravel: posted here, was line 23: call mpi_irecv(energy_in, n, mpi_double_precision, prev, 102, mpi_com...
  call gravel_post_rcv_buffer_rdma(energy_in, n, mpi_double_precision, prev, 102, mpi_comm_world, &
       energy_request, ierr)
  ! gravel: posted here, was line 25: call mpi_irecv(momentum_in, n, mpi_double_precision, prev, 103, mpi_c...
  call gravel_post_rcv_buffer_rdma(momentum_in, n, mpi_double_precision, prev, 103, mpi_comm_world, &
       momentum_request, ierr)
  ! gravel: one handshake, a put per tile, was line 30: call mpi_send(momentum, n, mpi_double_precision, ne...
  call gravel_wait_rcv_buffer(momentum, n, mpi_double_precision, next, 103, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       momentum(i) = dble(rank) - dble(mod(i, 3))
     end do
     call gravel_post_os_put(gravel_t1, momentum, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 30: call mpi_send(momentum, n, mpi_double_precision, next, 10...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  ! gravel: one handshake, a put per tile, was line 34: call mpi_send(density, n, mpi_double_precision, nex...
  call gravel_wait_rcv_buffer(density, n, mpi_double_precision, next, 101, mpi_comm_world, gravel_t2)
  gravel_step2 = gravel_tile(gravel_t2, n)
  do gravel_lo2 = 1, n, gravel_step2
     gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
     do i = gravel_lo2, gravel_hi2
       density(i) = dble(rank + 1) * 0.5d0 + dble(mod(i, 5))
     end do
     call gravel_post_os_put(gravel_t2, density, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
  end do
  ! gravel: sent tile by tile above, was line 34: call mpi_send(density, n, mpi_double_precision, next, 101...
  call gravel_send_fin(gravel_t2, gravel_s2, ierr)
  ! gravel: one handshake, a put per tile, was line 38: call mpi_send(energy, n, mpi_double_precision, next...
  call gravel_wait_rcv_buffer(energy, n, mpi_double_precision, next, 102, mpi_comm_world, gravel_t3)
  gravel_step3 = gravel_tile(gravel_t3, n)
  do gravel_lo3 = 1, n, gravel_step3
     gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
     do i = gravel_lo3, gravel_hi3
       energy(i) = density(i) * density(i) + momentum(i)
     end do
     call gravel_post_os_put(gravel_t3, energy, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
  end do
  ! gravel: sent tile by tile above, was line 38: call mpi_send(energy, n, mpi_double_precision, next, 102,...
  call gravel_send_fin(gravel_t3, gravel_s3, ierr)

  ! gravel: waits here, was line 40: call mpi_wait(density_request, status, ierr)
  call gravel_wait(density_request, density_in, status, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + density_in(i) * dble(mod(i, 7))
  end do
  ! gravel: moved away from here, was line 45: call mpi_wait(energy_request, status, ierr)
  ierr = 0
  ! gravel: waits here, was line 46: call mpi_wait(momentum_request, status, ierr)
  call gravel_wait(momentum_request, momentum_in, status, ierr)
  ! gravel: the wait moved here, was line 45: call mpi_wait(energy_request, status, ierr)
  call gravel_wait(energy_request, energy_in, status)
  do i = 1, n
    checksum = checksum + energy_in(i) - momentum_in(i) * dble(mod(i, 4))
  end do
  ! gravel: the wait moved here, was line 30: call mpi_send(momentum, n, mpi_double_precision, next, 103, m...
  call gravel_wait(gravel_s1, momentum)
  ! gravel: the wait moved here, was line 34: call mpi_send(density, n, mpi_double_precision, next, 101, mp...
  call gravel_wait(gravel_s2, density)
  ! gravel: the wait moved here, was line 38: call mpi_send(energy, n, mpi_double_precision, next, 102, mpi...
  call gravel_wait(gravel_s3, energy)

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
end program several_tags
