! Tags and the length are variables that get their numbers where they are declared and never another one. So the report of
! each rank to rank 0, which is received from any process, is told from the messages along the ring.
module settings
  implicit none
  integer, save :: ring_tag = 7, report_tag = 8
end module settings

program initial_values
  use mpi
  use settings
  implicit none

  integer, parameter :: n = 40000
  integer :: length = n
  integer :: ierr, rank, ranks, next, prev, request, report, i, step
  double precision :: sbuf(n), rbuf(n), field(n), checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 13)) * 0.5d0
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, length, mpi_double_precision, prev, ring_tag, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0
    end do
    call mpi_send(sbuf, length, mpi_double_precision, next, ring_tag, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.25d0 + rbuf(i)
    end do
  end do
  checksum = sum(field)
  call mpi_irecv(total, 1, mpi_double_precision, mpi_any_source, report_tag, mpi_comm_world, report, ierr)
  call mpi_send(checksum, 1, mpi_double_precision, next, report_tag, mpi_comm_world, ierr)
  call mpi_wait(report, mpi_status_ignore, ierr)
  call mpi_reduce(total, checksum, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, es24.16)') 'largest sum ', checksum
  call mpi_finalize(ierr)
end program initial_values
