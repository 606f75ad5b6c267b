! The module mpi_f08, arguments by name, and no error code.
program alltoall_mpi_f08
  use mpi_f08
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: rank, ranks, i, step
  type(MPI_Comm) :: everybody
  real(kind(1.0d0)) :: outgoing(n*max_ranks), incoming(n*max_ranks), field(n*max_ranks)
  double precision :: checksum, checksums(max_ranks)

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, everybody)
  call MPI_Comm_rank(everybody, rank)
  call MPI_Comm_size(everybody, ranks)
  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    incoming(i) = 0.0d0
  end do
  do step = 1, 3
    do i = 1, n*ranks
      outgoing(i) = field(i) * 0.5d0 + dble(step)
    end do
    call MPI_Alltoall(recvbuf=incoming, recvcount=n, recvtype=MPI_DOUBLE_PRECISION, sendbuf=outgoing, sendcount=n, &
                      sendtype=MPI_DOUBLE_PRECISION, comm=everybody)
    do i = 1, n*ranks
      field(i) = field(i) + incoming(i)
    end do
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
  call MPI_Finalize()
end program alltoall_mpi_f08
