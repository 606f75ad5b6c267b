! Communication in a subroutine that knows its buffers only as dummy arguments.
program dummy_buffers
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision, save :: sbuf(n), rbuf(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_w1_shift
  common /gravel_1w_shift/ gravel_w1_shift

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
    ! gravel: waits here for what line 22 has begun: call shift(field, sbuf, rbuf, n, next, prev)
    call gravel_wait(gravel_w1_shift, sbuf)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program dummy_buffers

! Passes half of `field` on to `next` and brings that of `prev` into `incoming`.
subroutine shift(field, outgoing, incoming, length, next, prev)
  use mpi
  use gravel
  implicit none
  integer, intent(in) :: length, next, prev
  double precision, intent(in) :: field(length)
  double precision, intent(inout) :: outgoing(length), incoming(length)
  integer, parameter :: tag = 40
  integer :: i, request, ierr
  integer :: status(mpi_status_size)
  integer(gravel_request_kind) :: gravel_w1_shift
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1
  common /gravel_1w_shift/ gravel_w1_shift

  ! gravel: posted here, was line 53: call mpi_irecv(incoming, length, mpi_double_precision, prev, tag, mpi...
  call gravel_post_rcv_buffer_rdma(incoming, length, mpi_double_precision, prev, tag, mpi_comm_world, request, &
       ierr)
  ! gravel: one handshake, a put per tile, was line 57: call mpi_send(outgoing, length, mpi_double_precisio...
  call gravel_wait_rcv_buffer(outgoing, length, mpi_double_precision, next, tag, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, length)
  do gravel_lo1 = 1, length, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, length - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       outgoing(i) = field(i) * 0.5d0
     end do
     call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 57: call mpi_send(outgoing, length, mpi_double_precision, nex...
  call gravel_send_fin(gravel_t1, gravel_w1_shift, ierr)
  ! gravel: waits here, was line 58: call mpi_wait(request, status, ierr)
  call gravel_wait(request, incoming, status, ierr)
end subroutine shift
