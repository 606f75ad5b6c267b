! Two short messages are filled by loops that come before both of their sends: their transfers are
! open at once, and each has its own data.
! expect: handled
program short_messages_at_once
  use mpi
  implicit none

  integer, parameter :: n = 200
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n), sbuf2(n), rbuf2(n)
  integer :: requests(4)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_irecv(rbuf2, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(2), ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  do i = 1, n
    sbuf2(i) = dble(rank + 1) + dble(mod(i, 4)) + sbuf(i)
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_isend(sbuf2, n, mpi_double_precision, next, 1, mpi_comm_world, requests(4), ierr) ! trapped
  call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) - rbuf2(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program short_messages_at_once
