! The arguments of a macro begin in a comment and take the next line with them, as the preprocessor has it.
! expect: handled
#define FIELD_OF(NAME) NAME
program macro_takes_next_line
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  ! as FIELD_OF(it
  sbuf(1:1000) = sbuf(1) + rank * (2d0)
  ! is)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = sum(rbuf) + sum(sbuf) * 0.5d0
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(16(1x, f16.3))', checksums(1:ranks)
  call mpi_finalize(ierr)
end program macro_takes_next_line
