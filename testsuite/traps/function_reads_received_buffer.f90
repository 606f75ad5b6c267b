! How much is sent is found by a function that looks at what the same call receives into.
! expect: kept unrepeatable-arguments
module counters
  implicit none

contains

  integer function positive(numbers)
    integer, intent(in) :: numbers(:)

    positive = count(numbers > 0)
  end function positive

end module counters

program function_reads_received_buffer
  use mpi
  use counters
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: work(n)
  integer :: counts(n), numbers(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    counts(i) = merge(1, 0, i < 9000 + 100 * rank)
    numbers(i) = mod(i, 9) + rank
  end do
  do i = 1, n
    work(i) = sqrt(dble(i + rank))
  end do
  call mpi_sendrecv(numbers, positive(counts), mpi_integer, next, 1, counts, n, mpi_integer, prev, 1, & ! trapped
                    mpi_comm_world, status, ierr)
  do i = 1, n
    checksum = checksum + dble(counts(i)) * dble(mod(i, 7)) + work(i)
  end do
  request = 0

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program function_reads_received_buffer
