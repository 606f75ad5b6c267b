! The datatype is one of two, as in a code that is built for one precision or the other: which one it is the runtime sees.
module precisions
  use mpi
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  integer :: real_type
end module precisions

program several_datatypes
  use precisions
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, next, prev, ierr, i, step, request
  real(wp) :: sbuf(n), rbuf(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  if (wp == kind(1.0d0)) then
    real_type = mpi_double_precision
  else
    real_type = mpi_real
  end if

  do i = 1, n
    field(i) = real(rank + 1, wp) + real(mod(i, 77), wp) * 0.125_wp
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, n, real_type, prev, 6, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = field(i) * 0.5_wp
    end do
    call mpi_send(sbuf, n, real_type, next, 6, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) + rbuf(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 31))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      print '(a,i3,a,es24.16)', 'rank', i - 1, ' checksum', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program several_datatypes
