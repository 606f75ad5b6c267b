! One variable holds the request of a persistent send first, and that of a posted one later on.
! expect: handled
program persistent_and_posted_in_one_variable
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, posted, i, step
  double precision :: sbuf(n), rbuf(n)
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

  call mpi_send_init(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, posted, ierr)
    call mpi_start(request, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    call mpi_wait(posted, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
      sbuf(i) = sbuf(i) + rbuf(i) * 0.5d0
    end do
  end do
  call mpi_request_free(request, ierr)

  call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    checksum = checksum + 0.25d0 * dble(mod(i, 11))
  end do
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 3))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_and_posted_in_one_variable
