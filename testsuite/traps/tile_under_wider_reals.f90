! The compiler's flag makes the elements of the loop as long again as those of the datatype: the runtime says at run time
! that nothing may be cut, and a directive must not overrule it.
! expect: handled
! flags: -fdefault-real-8
program tile_under_wider_reals
  use mpi
  implicit none

  integer, parameter :: n = 80000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  real :: sbuf(n), rbuf(n)
  real :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  rbuf = -1.0
  call mpi_irecv(rbuf, n, mpi_real, prev, 3, mpi_comm_world, request, ierr)
  !$gravel tile(128)
  do i = 1, n
    sbuf(i) = real(rank + 1) * real(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_real, next, 3, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  checksum = 0.0
  do i = 1, n
    checksum = checksum + rbuf(i) * real(mod(i, 7))
  end do

  call mpi_gather(checksum, 2, mpi_real, checksums, 2, mpi_real, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tile_under_wider_reals
