! The handles are of derived types, the last argument is left out.
program handles_of_f08
  use mpi_f08
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, next, prev, i, step
  type(mpi_request) :: request
  double precision :: sbuf(n), rbuf(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 77)) * 0.125d0
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 6, mpi_comm_world, request)
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 6, mpi_comm_world)
    call mpi_wait(request, mpi_status_ignore)
    do i = 1, n
      field(i) = field(i) + rbuf(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 31))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize()
end program handles_of_f08
