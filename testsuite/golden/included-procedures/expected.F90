! Procedures of a module are included: a template twice, under other macros, so that each text has a meaning of its own. The
! texts that change are written out, and the others stay lines that include them.
#undef WITH_ALL
module shifts
  use gravel, only: gravel_request_kind
  use mpi
  implicit none

  integer, parameter :: length = 20000, tag = 3
  integer :: left, right
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_w1_shift_down
  integer(gravel_request_kind), public :: gravel_w1_shift_up
contains
! gravel: the text of all.inc, which was included here, begins
#ifndef WITH_ALL
#define WITH_ALL
#define UPWARDS
! gravel: the text of shift.inc, which was included here, begins
#ifdef UPWARDS
  subroutine shift_up(values, moved)
    use gravel
#else
  subroutine shift_down(values, moved)
#endif
    double precision, intent(in) :: values(length)
    double precision, intent(out) :: moved(length)
    double precision :: received(length)
    integer :: from, to, request, ierr, i
    integer :: gravel_lo1, gravel_hi1, gravel_step1

#ifdef UPWARDS
    from = left
    to = right
#else
    from = right
    to = left
#endif
    ! gravel: posted here, was line 18 of shift.inc: call mpi_irecv(received, length, mpi_double_precision,...
    call gravel_post_rcv_segments(received, length, mpi_double_precision, from, tag, mpi_comm_world, request, &
         ierr)
    ! gravel: sent without waiting, was line 19 of shift.inc: call mpi_send(values, length, mpi_double_prec...
    call gravel_post_send(values, length, mpi_double_precision, to, tag, mpi_comm_world, gravel_w1_shift_up, &
         ierr)
    ! gravel: moved away from here, was line 20 of shift.inc: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 20 of shift.inc: call mpi_wait(request, mpi_sta...
    gravel_step1 = gravel_tile(request, length)
    if (gravel_step1 >= length) call gravel_wait(request, received)
    do gravel_lo1 = 1, length, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, length - gravel_lo1)
       if (gravel_step1 < length) call gravel_wait_range(request, received, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         moved(i) = received(i) + values(i)
       end do
    end do
    if (gravel_step1 < length) call gravel_wait(request, received)
  end subroutine
! gravel: the text of shift.inc ends
#undef UPWARDS
! gravel: the text of shift.inc, which was included here, begins
#ifdef UPWARDS
  subroutine shift_up(values, moved)
#else
  subroutine shift_down(values, moved)
    use gravel
#endif
    double precision, intent(in) :: values(length)
    double precision, intent(out) :: moved(length)
    double precision :: received(length)
    integer :: from, to, request, ierr, i
    integer :: gravel_lo1, gravel_hi1, gravel_step1

#ifdef UPWARDS
    from = left
    to = right
#else
    from = right
    to = left
#endif
    ! gravel: posted here, was line 18 of shift.inc: call mpi_irecv(received, length, mpi_double_precision,...
    call gravel_post_rcv_segments(received, length, mpi_double_precision, from, tag, mpi_comm_world, request, &
         ierr)
    ! gravel: sent without waiting, was line 19 of shift.inc: call mpi_send(values, length, mpi_double_prec...
    call gravel_post_send(values, length, mpi_double_precision, to, tag, mpi_comm_world, gravel_w1_shift_down, &
         ierr)
    ! gravel: moved away from here, was line 20 of shift.inc: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 20 of shift.inc: call mpi_wait(request, mpi_sta...
    gravel_step1 = gravel_tile(request, length)
    if (gravel_step1 >= length) call gravel_wait(request, received)
    do gravel_lo1 = 1, length, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, length - gravel_lo1)
       if (gravel_step1 < length) call gravel_wait_range(request, received, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         moved(i) = received(i) + values(i)
       end do
    end do
    if (gravel_step1 < length) call gravel_wait(request, received)
  end subroutine
! gravel: the text of shift.inc ends
#include "sums.inc"
#endif
! gravel: the text of all.inc ends
#include "all.inc"
end module shifts

program included_procedures
  use gravel
  use shifts, only: gravel_w1_shift_down, gravel_w1_shift_up
  use mpi
  use shifts
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  double precision :: first(length), second(length), third(length)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank - 1 + ranks, ranks)
  do i = 1, length
    first(i) = rank + 1d0 / i
  end do
  call shift_up(first, second)
  call shift_down(second, third)
  checksum = weighted(third)
  ! gravel: waits here for what line 33 of input.F90 has begun: call shift_up(first, second)
  call gravel_wait(gravel_w1_shift_up, first)
  ! gravel: waits here for what line 34 of input.F90 has begun: call shift_down(second, third)
  call gravel_wait(gravel_w1_shift_down, second)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print *, checksums(1:ranks)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program included_procedures
