! The program counts its sends: BIND(C) gives a procedure of another name that of MPI_Send for linkers. A send of the runtime
! would not be counted.
! expect: kept
module counts
  implicit none
  integer, save :: calls = 0

contains

  subroutine counted(buffer, count, datatype, destination, tag, communicator, ierror) bind(c, name='mpi_send_')
    double precision :: buffer(*)
    integer :: count, datatype, destination, tag, communicator, ierror

    calls = calls + 1
    call pmpi_send(buffer, count, datatype, destination, tag, communicator, ierror)
  end subroutine counted

end module counts

program profiled_by_bind_c
  use counts
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step, request
  double precision :: sbuf(n), rbuf(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    do i = 1, n
      sbuf(i) = dble(rank + step) + dble(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i)
    end do
  end do
  checksum = checksum + 1.0d6 * calls
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:ranks)
  call mpi_finalize(ierr)
end program profiled_by_bind_c
