! What stands behind a comment that ends in a backslash is not compiled: taken for live, the sends would match other receives.
! expect: handled
program hidden_by_backslash
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision :: sbuf(n), rbuf(n), other(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  other = -1
  ! receives into D:\runs\
  call mpi_irecv(other, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  ! see runs/*.out
  call mpi_send(other, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  ! and old/*/*.out
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  ! the end, or to \  
  sbuf(1:100) = 7d0
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = sum(rbuf) + sum(sbuf) * 0.5d0 + other(1)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(16(1x, f16.3))', checksums(1:ranks)
  call mpi_finalize(ierr)
end program hidden_by_backslash
