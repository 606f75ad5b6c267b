! Errors return. A process whose first send fails leaves the procedure, and so takes the message with its next receive: a receive that was
! posted above the check would have taken that already.
! expect: without hoist-receive
program error_leaves_procedure
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: request
  double precision :: sbuf(n), rbuf(n), late(n), work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0
  late = 0.0d0
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call exchange
  checksum = sum(rbuf)
  if (rank == 0) then
    call mpi_recv(late, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr)
    checksum = sum(late) + 0.5d0 * sum(rbuf)
  end if
  call mpi_wait(request, status, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine exchange
    integer :: to, code, ignored, i

    to = mpi_proc_null
    if (rank == 0) to = ranks
    work = 0.0d0
    do i = 1, n
      work = work + sqrt(dble(i))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, to, 2, mpi_comm_world, code)
    if (code /= mpi_success) return
    call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ignored) ! trapped
  end subroutine exchange

end program error_leaves_procedure
