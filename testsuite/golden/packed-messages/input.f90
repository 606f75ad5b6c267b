! Numbers of two types are packed into one message, and taken out of it, or received as what they were packed from.
program packed_messages
  use mpi
  implicit none

  integer, parameter :: n = 3000, room = 8 * n + 4 * n + 64
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, position, request
  integer :: marks(n), received_marks(n)
  double precision :: values(n), received(n), work(n)
  character :: outgoing(room), incoming(room)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    values(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    marks(i) = mod(i * (rank + 2), 17)
    work(i) = 0.0d0
  end do
  position = 0
  call mpi_pack(values, n, mpi_double_precision, outgoing, room, position, mpi_comm_world, ierr)
  call mpi_pack(marks, n, mpi_integer, outgoing, room, position, mpi_comm_world, ierr)
  call mpi_irecv(incoming, room, mpi_packed, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(outgoing, position, mpi_packed, next, 1, mpi_comm_world, ierr)
  do i = 1, n
    work(i) = work(i) + values(i) * 0.5d0
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  position = 0
  call mpi_unpack(incoming, room, position, received, n, mpi_double_precision, mpi_comm_world, ierr)
  call mpi_unpack(incoming, room, position, received_marks, n, mpi_integer, mpi_comm_world, ierr)
  checksum = sum(received) + dble(sum(received_marks))

  position = 0
  call mpi_pack(work, n, mpi_double_precision, outgoing, room, position, mpi_comm_world, ierr)
  call mpi_irecv(received, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
  call mpi_send(outgoing, position, mpi_packed, next, 2, mpi_comm_world, ierr)
  do i = 1, n
    work(i) = work(i) * 1.5d0
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 13)) + work(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program packed_messages
