! The wait counts fewer requests than the array holds; the others go on until they are waited for by
! another call. A wait for all of the array would keep the processes from getting to the call that
! the others need.
! expect: handled
program waitall_count_smaller
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n), sbuf2(n), rbuf2(n)
  integer :: requests(3)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    sbuf2(i) = dble(rank + 1) + dble(mod(i, 4))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_irecv(rbuf2, n, mpi_double_precision, prev, 2, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
  do i = 1, n
    sbuf2(i) = sbuf2(i) + rbuf(i)
  end do
  call mpi_isend(sbuf2, n, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_waitall(3, requests, mpi_statuses_ignore, ierr) ! trapped
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
end program waitall_count_smaller
