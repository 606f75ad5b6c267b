! An error handler of files tells the next rank of each error, by a message that the program receives as any other: the messages stay
! with MPI, for nobody knows when the handler runs.
! expect: kept error-handler
module errors
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision :: field(n)
  integer :: rank, ranks, request
contains
  subroutine handle(file, code)
    integer :: file, code, ierr
    call mpi_isend(field, n, mpi_double_precision, mod(rank + 1, ranks), 5, mpi_comm_world, request, ierr)
  end subroutine handle
end module errors

program file_error_handler_sends
  use errors
  implicit none
  integer, parameter :: max_ranks = 16
  double precision :: received(n), checksum, checksums(max_ranks)
  integer :: ierr, handler, file, i

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call mpi_file_create_errhandler(handle, handler, ierr) ! trapped
  call mpi_file_set_errhandler(mpi_file_null, handler, ierr)
  do i = 1, n
    field(i) = rank + 0.125d0 * mod(i, 23)
  end do
  call mpi_file_open(mpi_comm_self, 'a file that is not there', mpi_mode_rdonly, mpi_info_null, file, ierr)
  call mpi_recv(received, n, mpi_double_precision, mod(rank - 1 + ranks, ranks), 5, mpi_comm_world, &
    mpi_status_ignore, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + received(i) * mod(i, 11)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(i0, a, es22.14)') i - 1, ': ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program file_error_handler_sends
