! Messages of integers, single precision numbers and complex numbers.
program other_types
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  integer :: counts_out(n), counts_in(n)
  real :: single_out(n), single_in(n)
  complex(kind(1.0d0)) :: waves_out(n), waves_in(n)
  integer :: counts_request, single_request, waves_request
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  call mpi_irecv(counts_in, n, mpi_integer, prev, 71, mpi_comm_world, counts_request, ierr)
  call mpi_irecv(single_in, n, mpi_real, prev, 72, mpi_comm_world, single_request, ierr)
  call mpi_irecv(waves_in, n, mpi_double_complex, prev, 73, mpi_comm_world, waves_request, ierr)
  do i = 1, n
    counts_out(i) = mod(i * (rank + 3), 1009)
  end do
  call mpi_send(counts_out, n, mpi_integer, next, 71, mpi_comm_world, ierr)
  do i = 1, n
    single_out(i) = real(counts_out(i)) * 0.5
  end do
  call mpi_send(single_out, n, mpi_real, next, 72, mpi_comm_world, ierr)
  do i = 1, n
    waves_out(i) = cmplx(dble(counts_out(i)), dble(single_out(i)), kind(1.0d0))
  end do
  call mpi_send(waves_out, n, mpi_double_complex, next, 73, mpi_comm_world, ierr)
  call mpi_wait(counts_request, status, ierr)
  call mpi_wait(single_request, status, ierr)
  call mpi_wait(waves_request, status, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(counts_in(i) * mod(i, 6)) - dble(single_in(i)) &
               + dble(waves_in(i)) * 0.5d0 + aimag(waves_in(i)) * dble(mod(i, 11))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program other_types
