! The module mpi_f08, arguments by name, and no error code.
program alltoall_mpi_f08
  use mpi_f08
  use gravel
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: rank, ranks, i, step
  type(MPI_Comm) :: everybody
  real(kind(1.0d0)) :: outgoing(n*max_ranks), incoming(n*max_ranks), field(n*max_ranks)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call MPI_Init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call MPI_Comm_dup(MPI_COMM_WORLD, everybody)
  ! gravel: the runtime is attached to the new communicator
  call gravel_attach(everybody)
  call MPI_Comm_rank(everybody, rank)
  call MPI_Comm_size(everybody, ranks)
  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    incoming(i) = 0.0d0
  end do
  do step = 1, 3
    ! gravel: posted early, was line 25: call MPI_Alltoall(recvbuf=incoming, recvcount=n, recvtype=MPI_DOUB...
    call gravel_post_alltoall_segments(incoming, n, MPI_DOUBLE_PRECISION, everybody, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 25: call MPI_Alltoall(recvbuf=incoming, recvcount=n, ...
    call gravel_open_alltoall(outgoing, n, MPI_DOUBLE_PRECISION, everybody, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n*ranks)
    do gravel_lo1 = 1, n*ranks, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, (n*ranks) - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = field(i) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 25: call MPI_Alltoall(recvbuf=incoming, recvcount=n, recvty...
    call gravel_send_fin(gravel_t1, gravel_s1)
    ! gravel: waits here for what each tile reads, was line 25: call MPI_Alltoall(recvbuf=incoming, recvcou...
    gravel_step2 = gravel_tile(gravel_r1, n*ranks)
    if (gravel_step2 >= n*ranks) call gravel_wait(gravel_r1, incoming)
    do gravel_lo2 = 1, n*ranks, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, (n*ranks) - gravel_lo2)
       if (gravel_step2 < n*ranks) call gravel_wait_range(gravel_r1, incoming, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) + incoming(i)
       end do
    end do
    if (gravel_step2 < n*ranks) call gravel_wait(gravel_r1, incoming)
    ! gravel: the wait moved here, was line 25: call MPI_Alltoall(recvbuf=incoming, recvcount=n, recvtype=M...
    call gravel_wait(gravel_s1, outgoing)
  end do
  checksum = 0.0d0
  do i = 1, n*max_ranks
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call MPI_Gather(checksum, 1, MPI_DOUBLE_PRECISION, checksums, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call MPI_Finalize()
end program alltoall_mpi_f08
