! The loop writes as many elements as the message has, but only half of them are in the message, with old ones between.
! expect: without strip-mine-producer
program every_other_written
  use mpi
  implicit none

  integer, parameter :: n = 4000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(2 * n), rbuf(n)
  double precision :: a(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
    sbuf(i) = -1.0d0
    sbuf(n + i) = -2.0d0
  end do
  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(2 * i - 1) = a(i) + dble(step)
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    do i = 1, n
      a(i) = a(i) * 0.5d0 + rbuf(i)
    end do
  end do
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
end program every_other_written
