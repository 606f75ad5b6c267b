! The loop around a loop of few iterations: compilers unroll the inner one and vectorise the outer one, so
! that its tiles are whole vectors.
program unrolled_inner_loop
  use mpi
  implicit none

  integer, parameter :: n = 8000
  integer :: i, m, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(5, n), rbuf(5, n), f(5, n)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    do m = 1, 5
      f(m, i) = dble(rank + m) + dble(mod(i, 17)) * 0.25d0
    end do
  end do
  do step = 1, 3
    do i = 1, n
      do m = 1, 5
        sbuf(m, i) = f(m, i) * 0.5d0 + dble(step)
      end do
    end do
    call mpi_sendrecv(sbuf, 5*n, mpi_double_precision, next, 3, rbuf, 5*n, mpi_double_precision, prev, 3, &
                      mpi_comm_world, status, ierr)
    do i = 1, n
      do m = 1, 5
        f(m, i) = f(m, i) * 0.5d0 + rbuf(m, i) * 0.125d0
      end do
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + f(1, i) + f(5, i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program unrolled_inner_loop
