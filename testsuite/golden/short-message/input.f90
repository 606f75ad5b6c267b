! The receiver makes room for more than the sender sends, asks how much has come, and uses only that.
program short_message
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: length, received, total
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  total = 0
  do i = 1, n
    rbuf(i) = -dble(i)
  end do
  do step = 1, 4
    length = n / step - rank
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 11, mpi_comm_world, request, ierr)
    do i = 1, length
      sbuf(i) = dble(rank + step) + dble(mod(i, 21)) * 0.5d0
    end do
    call mpi_send(sbuf, length, mpi_double_precision, next, 11, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    call mpi_get_count(status, mpi_double_precision, received, ierr)
    total = total + received
    do i = 1, received
      checksum = checksum + rbuf(i) * dble(mod(i, 16))
    end do
  end do
  do i = 1, n
    checksum = checksum + rbuf(i)
  end do
  checksum = checksum + dble(total)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program short_message
