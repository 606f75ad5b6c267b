! A directive fixes the tiles of a loop, but the elements of the loop are half as long as those of the datatype: what an
! iteration completes is half an element of the message, and nothing may be cut.
! expect: without strip-mine-producer
! flags: -fallow-argument-mismatch
program tile_of_other_elements
  use mpi
  implicit none

  integer, parameter :: n = 80000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  real :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  call mpi_irecv(rbuf, n/2, mpi_double_precision, prev, 3, mpi_comm_world, request, ierr)
  !$gravel tile(128)
  do i = 1, n
    sbuf(i) = real(rank + 1) * real(mod(i, 9))
  end do
  call mpi_send(sbuf, n/2, mpi_double_precision, next, 3, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(rbuf(i)) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tile_of_other_elements
