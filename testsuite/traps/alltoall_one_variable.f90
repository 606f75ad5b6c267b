! Both buffers are parts of one array, and nothing says that the parts are apart but MPI's rule: the number of processes
! decides.
! expect: handled
program alltoall_one_variable
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, step
  double precision :: sbuf(n*max_ranks), rbuf(n*max_ranks), field(n*max_ranks)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    sbuf(i) = 0.0d0
    rbuf(i) = 0.0d0
  end do

  do step = 1, 3
    do i = 1, n*ranks/2
      field(i) = field(i) * 0.5d0 + dble(step)
    end do
    call mpi_alltoall(field, n/2, mpi_double_precision, field(n*ranks/2 + 1), n/2, mpi_double_precision, & ! trapped
                      mpi_comm_world, ierr)
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
end program alltoall_one_variable
