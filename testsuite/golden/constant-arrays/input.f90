! Tags and lengths are elements of constant arrays and of arrays that get their numbers where declared, by DATA or by
! one assignment as a whole. So the report of each rank to rank 0, which is received from any process, is told from the
! messages along the ring.
module settings
  implicit none
  integer, parameter :: ring = 1, report = 2, limits = 3
  integer, parameter :: tags(3) = (/ 7, 8, 9 /)
  integer, parameter :: lengths(0:1) = [integer :: 40000, 1]
  integer, save :: partner_tags(2)
  data partner_tags(2), partner_tags(1) / 12, 11 /
end module settings

program constant_arrays
  use mpi
  use settings
  implicit none

  integer, parameter :: n = lengths(0)
  integer :: steps, first, last
  data steps, first, last / 3, 2*1 /
  integer :: more_tags(2)
  integer :: ierr, rank, ranks, next, prev, request, answer, report_request, i, step
  double precision :: sbuf(lengths(0)), rbuf(n), field(n), checksum, total, other, limit

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  more_tags = [21, 22]
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 13)) * 0.5d0
  end do
  do step = 1, steps
    call mpi_irecv(rbuf, lengths(0), mpi_double_precision, prev, tags(ring), mpi_comm_world, request, ierr)
    do i = 1, lengths(0)
      sbuf(i) = field(i) * 0.5d0
    end do
    call mpi_send(sbuf, lengths(0), mpi_double_precision, next, tags(ring), mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.25d0 + rbuf(i)
    end do
    call mpi_irecv(rbuf, n, mpi_double_precision, next, partner_tags(first), mpi_comm_world, answer, ierr)
    do i = 1, n
      sbuf(i) = field(i) * 0.125d0
    end do
    call mpi_send(sbuf, n, mpi_double_precision, prev, partner_tags(last), mpi_comm_world, ierr)
    call mpi_wait(answer, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(i)
    end do
  end do
  checksum = sum(field)
  call mpi_irecv(total, lengths(1), mpi_double_precision, mpi_any_source, tags(report), mpi_comm_world, &
                 report_request, ierr)
  call mpi_send(checksum, 1, mpi_double_precision, next, tags(report), mpi_comm_world, ierr)
  call mpi_wait(report_request, mpi_status_ignore, ierr)
  checksum = dble(rank)
  call mpi_sendrecv(checksum, 1, mpi_double_precision, prev, partner_tags(2), limit, 1, mpi_double_precision, &
                    mpi_any_source, partner_tags(2), mpi_comm_world, mpi_status_ignore, ierr)
  call mpi_sendrecv(total, 1, mpi_double_precision, prev, more_tags(first), other, 1, mpi_double_precision, &
                    mpi_any_source, more_tags(first), mpi_comm_world, mpi_status_ignore, ierr)
  call mpi_reduce(other, checksum, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, 2es24.16)') 'largest sum ', checksum, limit
  call mpi_finalize(ierr)
end program constant_arrays
