! The wait for a send stands above a wait for any: once it has been made, the send is no longer among those of which that
! tells. Below it, either could be told of first.
! expect: without sink-wait
program send_wait_above_waitany
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n), inner(n)
  integer :: requests(2), which, told
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    inner(i) = sbuf(i) + 1.0d0
  end do
  told = 0
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(2), ierr)
  call mpi_isend(sbuf, 100, mpi_double_precision, next, 1, mpi_comm_world, requests(1), ierr)
  call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
  call mpi_waitany(2, requests, which, mpi_status_ignore, ierr)
  told = which
  do i = 1, n
    inner(i) = inner(i) * 0.25d0 - 1.0d0
  end do
  call mpi_waitany(2, requests, which, mpi_status_ignore, ierr)
  if (which > 0) told = told + 100
  checksum = dble(told) * 1.0d6
  do i = 1, 100
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  do i = 1, n
    checksum = checksum + inner(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program send_wait_above_waitany
