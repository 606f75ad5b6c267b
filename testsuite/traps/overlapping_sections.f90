! Outgoing and incoming message are parts of one array and share a third of their elements.
! ranks: 2 4
! expect: handled
program overlapping_sections
  use mpi
  implicit none

  integer, parameter :: n = 300
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: field(2*n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, 2*n
    field(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(field, n + n/2, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_recv(field(n/2 + 1), n + n/2, mpi_double_precision, prev, 1, & ! trapped
                mpi_comm_world, status, ierr)
  checksum = 0.0d0
  do i = 1, 2*n
    checksum = checksum + field(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program overlapping_sections
