! The handlers that are set end the program, as the one that is there without them: codes tell of no error.
program errors_fatal
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, handler, i
  double precision :: edge(n), halo(n), inner(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  handler = mpi_errors_are_fatal
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  do i = 1, n
    edge(i) = dble(rank + 1) / dble(i)
    halo(i) = 0.0d0
  end do
  call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
  call check(ierr, 'send')
  call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, mpi_status_ignore, ierr)
  if (ierr /= mpi_success) stop 1
  do i = 1, n
    inner(i) = sqrt(dble(i)) * edge(i)
  end do
  checksum = sum(inner) + sum(halo)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine check(code, what)
    integer, intent(in) :: code
    character(*), intent(in) :: what

    if (code /= mpi_success) then
      write (*, '(2a)') what, ' has failed'
      stop 1
    end if
  end subroutine check

end program errors_fatal
