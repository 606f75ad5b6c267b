! One request variable serves two operations, but a jump leads past the second post: the wait is then the first one's.
! expect: handled
program request_reused_jumped_over
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer, parameter :: n = 20000
  integer :: step, request, sent
  double precision :: sbuf(n), rbuf(n), sbuf2(n), rbuf2(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  sbuf = dble(rank + 1)
  sbuf2 = 2.0d0
  rbuf = -1.0d0
  rbuf2 = -2.0d0
  do step = 1, 4
    call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, sent, ierr)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    if (mod(step, 2) == 0) goto 10
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    call mpi_wait(sent, mpi_status_ignore, ierr)
    call mpi_isend(sbuf2, n, mpi_double_precision, next, 2, mpi_comm_world, sent, ierr)
    call mpi_irecv(rbuf2, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr) ! trapped
10  continue
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    call mpi_wait(sent, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) + rbuf2(i) * dble(mod(i, 5))
    end do
    sbuf = sbuf + step
    rbuf = -3.0d0
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program request_reused_jumped_over
