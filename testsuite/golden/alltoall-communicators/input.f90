! Exchanges within rows and within columns of processes: neither can meet the other, and each has its own class. The
! exchange in place that keeps the third class with MPI does not disturb them.
program alltoall_communicators
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 12000
  integer :: ierr, rank, ranks, i, step, row, column, other, rows, columns
  double precision :: sbuf(n*max_ranks), rbuf(n*max_ranks), field(n*max_ranks), few(max_ranks)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  call mpi_comm_split(mpi_comm_world, rank / 2, rank, row, ierr)
  call mpi_comm_split(row, 0, rank, column, ierr)
  call mpi_comm_dup(mpi_comm_world, other, ierr)
  call mpi_comm_size(row, rows, ierr)
  call mpi_comm_size(column, columns, ierr)
  few = dble(rank)
  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) * dble(mod(i, 11))
    rbuf(i) = 0.0d0
  end do
  do step = 1, 2
    do i = 1, n*rows
      sbuf(i) = field(i) * 0.25d0
    end do
    call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_double_precision, row, ierr)
    do i = 1, n*rows
      field(i) = rbuf(i) + dble(step)
    end do
    do i = 1, n*columns
      sbuf(i) = field(i) * 0.75d0
    end do
    call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_double_precision, column, ierr)
    do i = 1, n*columns
      field(i) = rbuf(i) - dble(step)
    end do
    call mpi_alltoall(mpi_in_place, 0, mpi_datatype_null, few, 1, mpi_double_precision, other, ierr)
    field(1) = field(1) + few(1)
  end do
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
end program alltoall_communicators
