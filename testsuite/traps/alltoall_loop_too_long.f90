! The loop fills more of the buffer than is exchanged, which must not be sent; in every other step it fills less, and
! the rest must be sent as it is.
! expect: handled
program alltoall_loop_too_long
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, step
  double precision :: sbuf(n*max_ranks), rbuf(n*max_ranks), field(n*max_ranks)
  integer :: m, last
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 1, n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    sbuf(i) = 0.0d0
    rbuf(i) = 0.0d0
  end do

  m = n / 2
  do step = 1, 4
    last = n*ranks
    if (mod(step, 2) == 0) last = m*ranks - 1000
    do i = 1, last
      sbuf(i) = field(i) * 0.5d0 + dble(step)
    end do
    call mpi_alltoall(sbuf, m, mpi_double_precision, rbuf, m, mpi_double_precision, mpi_comm_world, ierr) ! trapped
    do i = 1, m*ranks
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
end program alltoall_loop_too_long
