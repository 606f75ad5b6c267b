! Communicator and tags come down as arguments from a module's variable and from named constants.
module exchanges
  use mpi
  implicit none
  private
  public :: n, comm, exchange

  integer, parameter :: n = 20000
  integer :: comm

contains

  ! Sends the field on and mixes what comes from the other side into it.
  subroutine exchange(outgoing, incoming, field, to, from, communicator, tag)
    use gravel
    double precision, intent(inout) :: outgoing(n), incoming(n), field(n)
    integer, intent(in) :: to, from, communicator, tag
    integer :: request, status(mpi_status_size), ierr, i
    integer(gravel_request_kind) :: gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

    ! gravel: posted here, was line 19: call mpi_irecv(incoming, n, mpi_double_precision, from, tag, commun...
    call gravel_post_rcv_segments(incoming, n, mpi_double_precision, from, tag, communicator, request, ierr)
    ! gravel: one handshake, a put per tile, was line 23: call mpi_send(outgoing, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, to, tag, communicator, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = 0.5d0 * field(i) + dble(tag)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 23: call mpi_send(outgoing, n, mpi_double_precision, to, ta...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 24: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 24: call mpi_wait(request, status, ierr)
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, incoming, status)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, incoming, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = 0.75d0 * field(i) + 0.25d0 * incoming(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, incoming, status)
    ! gravel: the wait moved here, was line 23: call mpi_send(outgoing, n, mpi_double_precision, to, tag, c...
    call gravel_wait(gravel_s1, outgoing)
  end subroutine exchange

end module exchanges

program communicator_handed_down
  use mpi
  use exchanges
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer, parameter :: tag_right = 11, tag_left = 12
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: sbuf(n), rbuf(n), field(n) = 1.0d0
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  comm = mpi_comm_world
  do step = 1, 3
    call exchange(sbuf, rbuf, field, next, prev, comm, tag_right)
    call exchange(sbuf, rbuf, field, prev, next, comm, tag_left)
  end do
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 7))
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
end program communicator_handed_down
