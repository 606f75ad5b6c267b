! A loop fills a message of a datatype that is not known: it is twice as long as the elements of the array, and what lies behind those that the call counts is set below the loop.
! expect: handled
program datatype_unknown_of_pairs
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer, parameter :: long = 40000
  integer :: request, pair
  character(len=20) :: text
  double precision :: a(2*long), b(2*long)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  write (text, *) mpi_double_complex
  read (text, *) pair
  b = 0.0d0
  call mpi_irecv(b, long, pair, prev, 1, mpi_comm_world, request, ierr) ! trapped
  do i = 1, long
    a(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
  end do
  do i = long + 1, 2*long
    a(i) = dble(mod(i * 7, 17)) * 0.25d0
  end do
  call mpi_send(a, long, pair, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, long
    checksum = checksum + b(i) * dble(mod(i, 13)) - b(long + i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_unknown_of_pairs
