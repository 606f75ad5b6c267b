! The combined call with the include file instead of a module; its status is looked at.
program sendrecv_mpif_h
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: status(mpi_status_size)
  double precision :: outgoing(n), incoming(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  do step = 1, 3
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(step)
    end do
    call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 3, incoming, n, mpi_double_precision, prev, 3, &
                      mpi_comm_world, status, ierr)
    do i = 1, n
      field(i) = field(i) * 0.125d0
    end do
    if (status(mpi_source) /= prev) field = 0.0d0
    do i = 1, n
      field(i) = field(i) + incoming(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
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
end program sendrecv_mpif_h
