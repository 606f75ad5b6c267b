! Procedures that call MPI with what they compute, by each operator, from arguments that are expressions themselves: what
! stands in their place names the callers' arguments, with parentheses where an operand is more than one name.
! ranks: 1 2 3 4
module exchange
  use mpi
  implicit none
  integer, parameter :: base = 100

contains

  ! Every second block, forwards or backwards.
  subroutine send_blocks(values, blocks, length, to, shift, is_last)
    integer, intent(in) :: blocks, length, to, shift
    double precision, intent(in) :: values(*)
    logical, intent(in) :: is_last
    integer :: ierr

    if (.not. is_last .and. to >= 0) then
      call mpi_send(values, blocks * length / 2, mpi_double_precision, to, -(-base - shift ** 2), mpi_comm_world, ierr)
    end if
  end subroutine send_blocks

  subroutine receive_blocks(values, blocks, length, from, shift, is_first)
    integer, intent(in) :: blocks, length, from, shift
    double precision, intent(inout) :: values(*)
    logical, intent(in) :: is_first
    integer :: ierr

    if ((.not. is_first) .and. .not. (from == -1 .or. .false.)) then
      call mpi_recv(values, (blocks * length) / 2, mpi_double_precision, +from, base + (shift) ** 2, mpi_comm_world, &
                    mpi_status_ignore, ierr)
    end if
  end subroutine receive_blocks

  subroutine send_rest(values, n, to, tag, request, ierr)
    integer, intent(in) :: n, to, tag
    double precision, intent(in) :: values(*)
    integer, intent(out) :: request, ierr

    call mpi_isend(values, n, mpi_double_precision, to, 2 * tag - 1, mpi_comm_world, request, ierr)
  end subroutine send_rest

  subroutine receive_rest(values, n, from, tag, ierr)
    integer, intent(in) :: n, from, tag
    double precision, intent(inout) :: values(*)
    integer, intent(out) :: ierr

    call mpi_recv(values, n, mpi_double_precision, from, 2 * tag - 1, mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine receive_rest

end module exchange

program wrappers_that_compute
  use mpi
  use exchange
  use gravel
  implicit none
  integer, parameter :: most = 4000, max_ranks = 16
  integer :: ierr, rank, ranks, i, step, blocks, length, above, below, next, previous, request
  double precision :: outgoing(most), incoming(most), ring_out(most), ring_in(most), checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  above = rank + 1
  if (above == ranks) above = -1
  below = rank - 1
  next = mod(rank + 1, ranks)
  previous = mod(rank - 1 + ranks, ranks)
  blocks = 10
  length = 400
  incoming = 0.0d0
  checksum = 0.0d0
  do step = 1, 3
    ! gravel: posted early, was line 81: call receive_blocks(incoming, blocks, length + step - step, below,...
    call gravel_post_rcv_buffer_rdma(incoming, merge((blocks * (length + step - step)) / 2, 0, &
         (.not. (rank == 0)) .and. (.not. ((below == (-1)) .or. .false.))), mpi_double_precision, merge(below, &
         mpi_proc_null, (.not. (rank == 0)) .and. (.not. ((below == (-1)) .or. .false.))), &
         100 + ((step - 2) ** 2), mpi_comm_world, gravel_r1)
    ! gravel: posted early, was line 89: call receive_rest(ring_in, most - step, previous, 1 + step, ierr)
    call gravel_post_rcv_buffer_rdma(ring_in, most - step, mpi_double_precision, previous, &
         (2 * (1 + step)) - 1, mpi_comm_world, gravel_r2)
    do i = 1, most / 2
      outgoing(i) = dble(rank + step) + dble(mod(i, 11)) * 0.25d0
    end do
    ! gravel: sent without waiting, was line 77: call send_blocks(outgoing, blocks - step + step, length, a...
    call gravel_post_send(outgoing, merge(((blocks - step + step) * length) / 2, 0, &
         (.not. (rank == ranks - 1)) .and. (above >= 0)), mpi_double_precision, merge(above, mpi_proc_null, &
         (.not. (rank == ranks - 1)) .and. (above >= 0)), -((-100) - ((step - 2) ** 2)), mpi_comm_world, &
         gravel_s1)
    do i = 1, most
      ring_out(i) = dble(mod(i * step, 7)) * 0.125d0 + dble(rank)
    end do
    ! gravel: waits here, was line 81: call receive_blocks(incoming, blocks, length + step - step, below, s...
    call gravel_wait(gravel_r1, incoming)
    ! gravel: sent here, where it is complete, was line 85: call send_rest(ring_out, most - step, next, ste...
    call gravel_post_send(ring_out, most - step, mpi_double_precision, next, (2 * (step + 1)) - 1, &
         mpi_comm_world, gravel_s2)
    do i = 1, most / 2
      checksum = checksum + incoming(i)
    end do
    ! gravel: posted above, was line 85: call send_rest(ring_out, most - step, next, step + 1, request, ierr)
    request = gravel_s2
    ierr = 0
    do i = 1, most / 2
      checksum = checksum + outgoing(i) * 0.5d0
    end do
    ! gravel: waits here, was line 89: call receive_rest(ring_in, most - step, previous, 1 + step, ierr)
    call gravel_wait(gravel_r2, ring_in, ierr)
    do i = 1, most - step
      checksum = checksum + ring_in(i) * 0.25d0
    end do
    ! gravel: waits here, was line 93: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, ring_out, ierr)
    ! gravel: the wait moved here, was line 77: call send_blocks(outgoing, blocks - step + step, length, ab...
    call gravel_wait(gravel_s1, outgoing)
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:ranks)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program wrappers_that_compute
