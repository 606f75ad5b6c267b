! A sweep along a chain: each step needs what the process before has made of it, block by block.
program pipelined_sweep
  use mpi
  use gravel
  implicit none

  integer, parameter :: blocks = 5
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: incoming(n), outgoing(n), block(n, blocks), inner(n)
  integer :: b
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

  do b = 1, blocks
    do i = 1, n
      block(i, b) = dble(rank + 1) + dble(mod(i + b, 18)) * 0.5d0
    end do
  end do
  do i = 1, n
    incoming(i) = 1.0d0
  end do
  do b = 1, blocks
    ! gravel: posted early, was line 35: call mpi_recv(incoming, n, mpi_double_precision, prev, 50, mpi_com...
    call gravel_post_rcv_segments(incoming, n, mpi_double_precision, prev, 50, mpi_comm_world, gravel_r1)
    do i = 1, n
      inner(i) = block(i, b) * 0.5d0
    end do
    ! gravel: moved away from here, was line 35: call mpi_recv(incoming, n, mpi_double_precision, prev, 50,...
    ierr = 0
    ! gravel: one handshake, a put per tile, was line 39: call mpi_send(outgoing, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 50, mpi_comm_world, gravel_t1)
    ! gravel: waits here for what each tile reads, was line 35: call mpi_recv(incoming, n, mpi_double_preci...
    gravel_step1 = gravel_tile([gravel_t1, gravel_r1], n)
    if (gravel_step1 >= n) call gravel_wait(gravel_r1, incoming, status)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(gravel_r1, incoming, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = inner(i) + 0.5d0 * incoming(i)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    if (gravel_step1 < n) call gravel_wait(gravel_r1, incoming, status)
    ! gravel: sent tile by tile above, was line 39: call mpi_send(outgoing, n, mpi_double_precision, next, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    do i = 1, n
      block(i, b) = outgoing(i) - inner(i) * 0.25d0
    end do
    ! gravel: the wait moved here, was line 39: call mpi_send(outgoing, n, mpi_double_precision, next, 50, ...
    call gravel_wait(gravel_s1, outgoing)
  end do
  checksum = 0.0d0
  do b = 1, blocks
    do i = 1, n
      checksum = checksum + block(i, b) * dble(mod(i + 5*b, 12))
    end do
  end do

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
end program pipelined_sweep
