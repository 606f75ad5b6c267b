! The send buffer has a dimension for the processes; the call names its first element. Two more calls have no loop that
! fills them, and one of them is made under a condition.
program alltoall_blocks
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 8000
  integer :: ierr, rank, ranks, i, p, step
  integer :: counts(max_ranks), others(max_ranks)
  double precision :: sbuf(n, 0:max_ranks - 1), rbuf(n, 0:max_ranks - 1), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  sbuf = 0.0d0
  rbuf = 0.0d0
  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 13))
  end do
  do step = 1, 3
    do p = 0, ranks - 1
      do i = 1, n
        sbuf(i, p) = field(i) + dble(p*step)
      end do
    end do
    call mpi_alltoall(sbuf(1, 0), n, mpi_double_precision, rbuf(1, 0), n, mpi_double_precision, mpi_comm_world, ierr)
    counts = step + rank
    if (step > 1) then
      call mpi_alltoall(counts, 1, mpi_integer, others, 1, mpi_integer, mpi_comm_world, ierr)
    end if
    do i = 1, n
      field(i) = field(i) * 0.5d0
    end do
    do p = 0, ranks - 1
      do i = 1, n
        field(i) = field(i) + rbuf(i, p)
      end do
    end do
  end do
  counts = others
  checksum = 0.0d0
  do i = 1, size(field)
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alltoall_blocks
