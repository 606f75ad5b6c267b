! The same memory is sent and received, which MPI forbids; but each process has a partner in one of the
! directions only, so that it works.
! expect: kept unsupported-buffer
program sendrecv_same_memory
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mpi_proc_null
  prev = mpi_proc_null
  if (mod(rank, 2) == 0 .and. rank + 1 < ranks) next = rank + 1
  if (mod(rank, 2) == 1) prev = rank - 1

  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_sendrecv(field, n, mpi_double_precision, next, 1, field, n, & ! trapped
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
end program sendrecv_same_memory
