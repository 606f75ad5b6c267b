! Calls that stay with MPI: nothing to overlap on one communicator, a datatype that is derived on the other.
program alltoall_kept
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 1000
  integer :: ierr, rank, ranks, i, other, pair
  double precision :: sbuf(2*n*max_ranks), rbuf(2*n*max_ranks), field(2*n*max_ranks)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  call mpi_comm_dup(mpi_comm_world, other, ierr)
  call mpi_type_contiguous(2, mpi_double_precision, pair, ierr)
  call mpi_type_commit(pair, ierr)
  do i = 1, 2*n*max_ranks
    field(i) = dble(rank + 1) * dble(mod(i, 7))
  end do
  do i = 1, 2*n*max_ranks
    sbuf(i) = field(i) * 0.5d0
  end do
  rbuf(1) = sbuf(1)
  call mpi_alltoall(sbuf, n, pair, rbuf, n, pair, other, ierr)
  do i = 1, 2*n*max_ranks
    field(i) = field(i) + sbuf(i)
  end do
  write (*, '(a)', advance='no') ''
  sbuf(1) = rbuf(1)
  rbuf(2) = sbuf(2)
  call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_double_precision, mpi_comm_world, ierr)
  rbuf(1) = rbuf(1) + sbuf(1)
  sbuf(1) = 0.0d0
  call mpi_type_free(pair, ierr)
  checksum = 0.0d0
  do i = 1, size(rbuf)
    checksum = checksum + rbuf(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alltoall_kept
