! Tags and the length are variables that get their numbers where they are declared and never another one. So the report of
! each rank to rank 0, which is received from any process, is told from the messages along the ring.
module settings
  implicit none
  integer, save :: ring_tag = 7, report_tag = 8
end module settings

program initial_values
  use mpi
  use settings
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer :: length = n
  integer :: ierr, rank, ranks, next, prev, request, report, i, step
  double precision :: sbuf(n), rbuf(n), field(n), checksum, total
  integer(gravel_request_kind) :: gravel_s1, gravel_s2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  ! gravel: posted early, was line 38: call mpi_irecv(total, 1, mpi_double_precision, mpi_any_source, repor...
  call gravel_post_rcv_announced(total, 1, mpi_double_precision, mpi_any_source, report_tag, mpi_comm_world, &
       report)
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 13)) * 0.5d0
  end do
  do step = 1, 3
    ! gravel: posted here, was line 27: call mpi_irecv(rbuf, length, mpi_double_precision, prev, ring_tag, ...
    call gravel_post_rcv_buffer_rdma(rbuf, length, mpi_double_precision, prev, ring_tag, mpi_comm_world, &
         request, ierr)
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0
    end do
    ! gravel: sent without waiting, was line 31: call mpi_send(sbuf, length, mpi_double_precision, next, ri...
    call gravel_post_send(sbuf, length, mpi_double_precision, next, ring_tag, mpi_comm_world, gravel_s1, ierr)
    ! gravel: waits here, was line 32: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, rbuf, ierr)
    do i = 1, n
      field(i) = field(i) * 0.25d0 + rbuf(i)
    end do
    ! gravel: the wait moved here, was line 31: call mpi_send(sbuf, length, mpi_double_precision, next, rin...
    call gravel_wait(gravel_s1, sbuf)
  end do
  checksum = sum(field)
  ! gravel: moved away from here, was line 38: call mpi_irecv(total, 1, mpi_double_precision, mpi_any_sourc...
  ierr = 0
  ! gravel: sent without waiting, was line 39: call mpi_send(checksum, 1, mpi_double_precision, next, repor...
  call gravel_post_snd_buffer_rdma(checksum, 1, mpi_double_precision, next, report_tag, mpi_comm_world, &
       gravel_s2, ierr)
  ! gravel: waits here, was line 40: call mpi_wait(report, mpi_status_ignore, ierr)
  call gravel_wait(report, total, ierr)
  ! gravel: the wait moved here, was line 39: call mpi_send(checksum, 1, mpi_double_precision, next, report...
  call gravel_wait(gravel_s2, checksum)
  call mpi_reduce(total, checksum, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, es24.16)') 'largest sum ', checksum
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program initial_values
