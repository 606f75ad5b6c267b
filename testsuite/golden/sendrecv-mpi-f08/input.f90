! The combined call in the new interface, with its arguments by name and in another order.
program sendrecv_mpi_f08
  use mpi_f08
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, next, prev, i, step
  type(mpi_status) :: status
  double precision :: outgoing(n), incoming(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  do step = 1, 3
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(step)
    end do
    call mpi_sendrecv(recvbuf=incoming, recvcount=n, recvtype=mpi_double_precision, source=prev, recvtag=3, &
                      sendbuf=outgoing, sendcount=n, sendtype=mpi_double_precision, dest=next, sendtag=3, &
                      comm=mpi_comm_world, status=status)
    do i = 1, n
      field(i) = field(i) * 0.125d0 + incoming(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize()
end program sendrecv_mpi_f08
