! Directives fix the tiles of a loop, leave a transformation out, and leave a whole exchange with MPI.
! ranks: 2 4
program directives
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), a(n), edge(n), halo(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_world, request, ierr)
    !$gravel tile(1024)
    do i = 1, n
      sbuf(i) = a(i) * 0.125d0 + dble(step)
    end do
    ! The wait of this send stays where it is.
    !$GRAVEL skip(sink-wait)
    call mpi_send(sbuf, n, mpi_double_precision, next, 4, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      a(i) = a(i) + rbuf(i) * 0.25d0
    end do

    ! A branch is left alone with everything in it, and with it what its messages could meet.
    do i = 1, n
      edge(i) = a(i) + 1.0d0
    end do
    !$gravel skip
    if (mod(rank, 2) == 0) then
      call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
      call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, status, ierr)
    else
      call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, status, ierr)
      call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
    end if
    a(1) = a(1) + halo(n)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + a(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program directives
