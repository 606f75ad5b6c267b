! The code hides MPI behind procedures of its own, so that it could run over another library: in a module, outside of one,
! and one behind the other. Those who call them see nothing of MPI. One message goes to a receive that stays with MPI.
! ranks: 2 3 4
module messages
  use mpi
  implicit none
  private
  public :: send_real, receive_real

contains

  subroutine send_real(values, count, to, tag)
    integer, intent(in) :: count, to, tag
    double precision, intent(in) :: values(*)
    integer :: ierr

    call mpi_send(values, count, mpi_double_precision, to, tag, mpi_comm_world, ierr)
  end subroutine send_real

  subroutine receive_real(values, count, from, tag)
    integer, intent(in) :: count, from, tag
    double precision :: values(*)
    integer :: status(mpi_status_size), ierr

    call mpi_recv(values(1), count, mpi_double_precision, from, tag, mpi_comm_world, status, ierr)
    return
  end subroutine receive_real

end module messages

! Only the order of the arguments is another one.
subroutine pass_on(to, line, n, tag)
  use messages, only: send_real
  implicit none
  integer, intent(in) :: to, n, tag
  double precision, intent(in) :: line(n)

  call send_real(line, n, to, tag)
end subroutine pass_on

program wrapped_calls
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks
  double precision :: field(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call steps(rank, ranks, field, n)
  checksum = sum(field)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:ranks)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program wrapped_calls

subroutine steps(rank, ranks, field, n)
  use messages
  use gravel
  use mpi, only: mpi_comm_world, mpi_double_precision
  implicit none
  integer, intent(in) :: rank, ranks, n
  double precision, intent(out) :: field(n)
  double precision :: outgoing(n), incoming(n), scratch(n), limit(1)
  integer :: next, previous, step, i
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  next = mod(rank + 1, ranks)
  previous = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 11)) * 0.25d0
  end do
  limit(1) = dble(rank)
  call send_real(limit, 1, next, 9)
  call last_limit(limit(1))
  do step = 1, 3
    ! gravel: posted early, was line 84: call receive_real(incoming, n, previous, 4)
    call gravel_post_rcv_segments(incoming, n, mpi_double_precision, previous, 4, mpi_comm_world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 80: call pass_on(next, outgoing, n, 4)
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 4, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = field(i) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 80: call pass_on(next, outgoing, n, 4)
    call gravel_send_fin(gravel_t1, gravel_s1)
    do i = 1, n
      scratch(i) = field(i) * 0.25d0
    end do
    ! gravel: moved away from here, was line 84: call receive_real(incoming, n, previous, 4)
    ! gravel: waits here for what each tile reads, was line 84: call receive_real(incoming, n, previous, 4)
    gravel_step2 = gravel_tile(gravel_r1, n)
    if (gravel_step2 >= n) call gravel_wait(gravel_r1, incoming)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(gravel_r1, incoming, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = scratch(i) + incoming(i) * 0.5d0 + limit(1)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(gravel_r1, incoming)
    ! gravel: the wait moved here, was line 80: call pass_on(next, outgoing, n, 4)
    call gravel_wait(gravel_s1, outgoing)
  end do
end subroutine steps

subroutine last_limit(limit)
  use mpi
  implicit none
  double precision, intent(inout) :: limit
  integer :: ierr

  call mpi_recv(limit, 1, mpi_double_precision, mpi_any_source, 9, mpi_comm_world, mpi_status_ignore, ierr)
end subroutine last_limit
