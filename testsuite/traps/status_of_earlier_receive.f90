! The status of an earlier receive is printed where the branch of the second one is not taken.
! expect: without sink-wait
program status_of_earlier_receive
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: u(n), v(n), sbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  u = -1.0d0
  v = -1.0d0
  checksum = 0.0d0

  do i = 1, size(sbuf)
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(u, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  if (rank > 0) then
    call mpi_send(sbuf, n, mpi_double_precision, 0, 2, mpi_comm_world, ierr)
  else if (ranks > 1) then
    call mpi_recv(v, n, mpi_double_precision, 1, 2, mpi_comm_world, status, ierr) ! trapped
  end if
  do i = 1, n
    checksum = checksum + u(i) * dble(mod(i, 7))
  end do
  checksum = checksum + 1000 * status(mpi_tag) + status(mpi_source)
  if (rank == 0) then
    do i = 2, ranks - 1
      call mpi_recv(v, n, mpi_double_precision, i, 2, mpi_comm_world, mpi_status_ignore, ierr)
    end do
  end if
  checksum = checksum + v(5)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program status_of_earlier_receive
