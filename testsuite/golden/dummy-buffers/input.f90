! Communication in a subroutine that knows its buffers only as dummy arguments.
program dummy_buffers
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision, save :: sbuf(n), rbuf(n), field(n)
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
    call shift(field, sbuf, rbuf, n, next, prev)
    do i = 1, n
      field(i) = 0.5d0 * field(i) + rbuf(i)
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
end program dummy_buffers

! Passes half of `field` on to `next` and brings that of `prev` into `incoming`.
subroutine shift(field, outgoing, incoming, length, next, prev)
  use mpi
  implicit none
  integer, intent(in) :: length, next, prev
  double precision, intent(in) :: field(length)
  double precision, intent(inout) :: outgoing(length), incoming(length)
  integer, parameter :: tag = 40
  integer :: i, request, ierr
  integer :: status(mpi_status_size)

  call mpi_irecv(incoming, length, mpi_double_precision, prev, tag, mpi_comm_world, request, ierr)
  do i = 1, length
    outgoing(i) = field(i) * 0.5d0
  end do
  call mpi_send(outgoing, length, mpi_double_precision, next, tag, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)
end subroutine shift
