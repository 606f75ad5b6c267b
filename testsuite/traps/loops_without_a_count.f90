! Loops over several indices or under a mask, and FORALL with several statements: what they read and write counts, and no
! wait moves past it.
! expect: handled
program loops_without_a_count
  use mpi
  implicit none

  integer, parameter :: n = 64
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, requests(2), i, j, step
  double precision :: sbuf(n, n), rbuf(n, n), a(n, n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  a = 0.0d0
  checksum = 0.0d0
  do step = 1, 3
    ! The receive buffer is read under two indices.
    sbuf = rank + 0.25d0 * step
    call mpi_irecv(rbuf, n * n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(sbuf, n * n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    do concurrent (i = 1:n, j = 1:n, i /= j)
      a(i, j) = a(i, j) * 0.5d0 + rbuf(i, j)
    end do
    call mpi_irecv(rbuf, n * n, mpi_double_precision, next, 2, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(a, n * n, mpi_double_precision, prev, 2, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    do concurrent (i = 1:n, rbuf(i, 1) > 1.0d0)
      sbuf(i, 1) = rbuf(i, n)
    end do
    ! The send buffer is written by the second of two statements.
    call mpi_irecv(rbuf, n * n, mpi_double_precision, prev, 3, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(sbuf, n * n, mpi_double_precision, next, 3, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    forall (i = 1:n, j = 1:n, i < j)
      a(i, j) = a(j, i) + 1.0d0
      sbuf(i, j) = a(i, j) + rbuf(j, i)
    end forall
    do j = 1, n
      do i = 1, n
        checksum = checksum + (a(i, j) + sbuf(i, j)) * dble(mod(i + 3 * j, 7))
      end do
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program loops_without_a_count
