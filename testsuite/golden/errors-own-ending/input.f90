! The program's own handler of errors prints and ends the program, as MPI's does: codes tell of no error.
module failures
  use mpi
  implicit none
  integer :: rank = -1, step = 0

contains

  subroutine tell(comm, code)
    integer :: comm, code, ierr, length
    character(mpi_max_error_string) :: text

    call mpi_error_string(code, text, length, ierr)
    write (*, '(a,i0,a,i0,2a)') 'rank ', rank, ', step ', step, ': ', text(:length)
    if (code == mpi_err_truncate) then
      call mpi_abort(comm, 2, ierr)
    else
      call end_all(comm)
    end if
  end subroutine tell

  subroutine end_all(comm)
    integer, intent(in) :: comm
    integer :: ierr

    call mpi_abort(comm, 1, ierr)
  end subroutine end_all

end module failures

program errors_own_ending
  use failures
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, ranks, next, prev, handler, i
  double precision :: edge(n), halo(n), inner(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_create_errhandler(tell, handler, ierr)
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)
  call mpi_errhandler_free(handler, ierr)
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
  step = 1
  call mpi_sendrecv(edge, n, mpi_double_precision, next, 5, halo, n, mpi_double_precision, prev, 5, mpi_comm_world, &
                    mpi_status_ignore, ierr)
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
end program errors_own_ending
