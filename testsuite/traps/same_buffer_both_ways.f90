! One buffer carries the outgoing message and then the incoming one. A receive that is posted above
! the send would overwrite what is being sent.
! ranks: 2 4
! expect: handled
program same_buffer_both_ways
  use mpi
  implicit none

  integer, parameter :: n = 300
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: buffer(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    buffer(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(buffer, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_recv(buffer, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + buffer(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program same_buffer_both_ways
