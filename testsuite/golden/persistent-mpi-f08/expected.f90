! Persistent requests in scalars, on a communicator of a grid, with the module mpi_f08. The waits go below the work that does
! not need what comes.
program persistent_mpi_f08
  use mpi_f08
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, left, right, i, step
  type(MPI_Comm) :: grid
  type(MPI_Request) :: incoming, outgoing
  type(MPI_Status) :: status
  double precision :: field(n), out(n), from_left(n), inner, checksum, checksums(max_ranks)

  call MPI_Init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., grid)
  ! gravel: the runtime is attached to the new communicator
  call gravel_attach(grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_shift(grid, 0, 1, left, right)
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  ! gravel: described once, for each start, was line 23: call MPI_Recv_init(from_left, n, MPI_DOUBLE_PRECIS...
  call gravel_prepare_receive(from_left, n, MPI_DOUBLE_PRECISION, left, 7, grid, incoming)
  ! gravel: described once, for each start, was line 24: call MPI_Send_init(out, n, MPI_DOUBLE_PRECISION, r...
  call gravel_prepare_send(out, n, MPI_DOUBLE_PRECISION, right, 7, grid, outgoing)
  inner = 0.0d0
  do step = 1, 4
    ! gravel: started here, was line 27: call MPI_Start(incoming)
    call gravel_start(incoming, from_left)
    do i = 1, n
      out(i) = field(i) * 2.0d0
    end do
    ! gravel: started here, was line 31: call MPI_Start(outgoing)
    call gravel_start(outgoing, out)
    do i = 1, n
      inner = inner + field(i)
    end do
    ! gravel: waits here, was line 35: call MPI_Wait(incoming, status)
    call gravel_wait(incoming, from_left, status)
    ! gravel: moved away from here, was line 36: call MPI_Wait(outgoing, MPI_STATUS_IGNORE)
    do i = 1, n
      field(i) = 0.5d0 * field(i) - 0.125d0 * from_left(i)
    end do
    ! gravel: the wait moved here, was line 36: call MPI_Wait(outgoing, MPI_STATUS_IGNORE)
    call gravel_wait(outgoing, out)
  end do
  ! gravel: released here, was line 41: call MPI_Request_free(incoming)
  call gravel_release(incoming)
  ! gravel: released here, was line 42: call MPI_Request_free(outgoing)
  call gravel_release(outgoing)
  call MPI_Comm_free(grid)
  checksum = inner
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do
  call MPI_Gather(checksum, 1, MPI_DOUBLE_PRECISION, checksums, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call MPI_Finalize()
end program persistent_mpi_f08
