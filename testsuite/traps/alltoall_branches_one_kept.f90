! Even processes exchange parts of what a pointer points to, which might have gaps; odd ones meet them with a call that could be overlapped by
! itself.
! expect: kept unsupported-buffer
program alltoall_branches_one_kept
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, step
  double precision :: sbuf(n*max_ranks), rbuf(n*max_ranks), field(n*max_ranks)
  double precision, target :: wide(2, 8)
  double precision, pointer :: both(:)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    sbuf(i) = 0.0d0
    rbuf(i) = 0.0d0
  end do

  allocate(both(2*n*max_ranks))
  if (ranks > 1000) both => wide(1, :)
  both = 0.0d0
  do step = 1, 3
    if (mod(rank, 2) == 0) then
      do i = 1, n*ranks
        both(i) = field(i) * 0.5d0 + dble(step)
      end do
      call mpi_alltoall(both, n, mpi_double_precision, both(n*ranks + 1), n, mpi_double_precision, & ! trapped
                        mpi_comm_world, ierr)
      do i = 1, n*ranks
        rbuf(i) = both(n*ranks + i)
      end do
    else
      do i = 1, n*ranks
        sbuf(i) = field(i) * 0.25d0 - dble(step)
      end do
      call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_double_precision, mpi_comm_world, ierr) ! trapped
    end if
    do i = 1, n*ranks
      field(i) = field(i) * 0.5d0 + rbuf(i)
    end do
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
end program alltoall_branches_one_kept
