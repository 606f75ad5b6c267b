! The loop over the steps is left in the middle of a step, between the work and the receive.
! ranks: 2 4
! expect: handled
program time_limit_exit
  use mpi
  implicit none

  integer, parameter :: n = 300
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: residual
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  checksum = 0.0d0
  do step = 1, 10
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    residual = 0.0d0
    do i = 1, n
      residual = max(residual, sbuf(i))
    end do
    call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
    call mpi_allreduce(residual, checksum, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
    if (checksum < 3.0d0) exit
    do i = 1, n
      sbuf(i) = 0.25d0 * (sbuf(i) + rbuf(i))
    end do
  end do
  checksum = checksum + dble(step)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program time_limit_exit
