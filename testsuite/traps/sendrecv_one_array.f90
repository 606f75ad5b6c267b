! What is sent and what is received are parts of one array; that they lie apart follows from how the
! program is called only. MPI demands it.
! expect: handled
program sendrecv_one_array
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: field(n)
  integer :: half, first, second
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  half = n / 2
  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  first = 1 + mod(rank, 2) * half
  second = 1 + half - mod(rank, 2) * half
  call mpi_sendrecv(field(first), half, mpi_double_precision, next, 1, field(second), half, & ! trapped
                    mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
  checksum = 0.0d0
  do i = 1, n
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
end program sendrecv_one_array
