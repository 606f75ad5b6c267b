! A loop around a long one, whose iterations store elements side by side: gfortran -O3 computes several of them at once, and
! those that are left over apart. Its tiles must be whole vectors.
! tiles: unset 64 all
program outer_loop_vectorised
  use mpi
  implicit none

  integer, parameter :: n = 20011, m = 70
  integer :: i, j
  integer :: status(mpi_status_size)
  double precision, save :: sbuf(n), rbuf(n), a(n, m)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, m
    do j = 1, n
      a(j, i) = 0.001d0 * j + 0.37d0 * i + rank
    end do
  end do
  do j = 1, n
    do i = 1, m
      sbuf(j) = sqrt(a(j, i))
    end do
  end do
  call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 5, rbuf, n, mpi_double_precision, prev, 5, &
       mpi_comm_world, status, ierr)

  checksum = 0.0d0
  do j = 1, n
    checksum = checksum + rbuf(j) * dble(mod(j, 97))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      print '(a, i0, a, es24.16)', 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program outer_loop_vectorised
