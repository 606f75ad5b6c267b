! An error handler of files runs in the call that opens a file which is not there, and adds to what a message has brought: the wait for
! the message stays above that call, and the post of the next one behind it.
! expect: handled
module errors
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision :: received(n)
  integer :: failed = 0
contains
  subroutine handle(file, code)
    integer :: file, code
    failed = failed + 1
    received(1) = received(1) + failed
  end subroutine handle
end module errors

program file_error_handler_counts
  use errors
  implicit none
  integer, parameter :: max_ranks = 16
  double precision :: field(n), checksum, checksums(max_ranks)
  integer :: ierr, rank, ranks, handler, file, request, i, step

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call mpi_file_create_errhandler(handle, handler, ierr)
  call mpi_file_set_errhandler(mpi_file_null, handler, ierr)
  checksum = 0.0d0
  do step = 1, 3
    do i = 1, n
      field(i) = rank + 0.125d0 * mod(i * step, 23)
    end do
    call mpi_irecv(received, n, mpi_double_precision, mod(rank - 1 + ranks, ranks), 5, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(field, n, mpi_double_precision, mod(rank + 1, ranks), 5, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    call mpi_file_open(mpi_comm_self, 'a file that is not there', mpi_mode_rdonly, mpi_info_null, file, ierr)
    do i = 1, n
      checksum = checksum + received(i) * mod(i, 11)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(i0, a, es22.14)') i - 1, ': ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program file_error_handler_counts
