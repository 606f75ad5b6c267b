! A combined send and receive becomes an early post, puts from within the loop, and two waits.
program sendrecv
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: outgoing(n), incoming(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  do step = 1, 3
    ! gravel: posted early, was line 25: call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 3, inco...
    call gravel_post_rcv_segments(incoming, n, mpi_double_precision, prev, 3, mpi_comm_world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 25: call mpi_sendrecv(outgoing, n, mpi_double_precisi...
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 3, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = field(i) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 25: call mpi_sendrecv(outgoing, n, mpi_double_precision, ne...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    do i = 1, n
      field(i) = field(i) * 0.125d0
    end do
    ! gravel: waits here for what each tile reads, was line 25: call mpi_sendrecv(outgoing, n, mpi_double_p...
    gravel_step2 = gravel_tile(gravel_r1, n)
    if (gravel_step2 >= n) call gravel_wait(gravel_r1, incoming)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(gravel_r1, incoming, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) + incoming(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(gravel_r1, incoming)
    ! gravel: the wait moved here, was line 25: call mpi_sendrecv(outgoing, n, mpi_double_precision, next, ...
    call gravel_wait(gravel_s1, outgoing)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
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
end program sendrecv
