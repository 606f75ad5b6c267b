! The procedures that post get the request from their caller, which waits. What they send lies side by side in one array of
! a module, from places on that are worked out when the program runs.
module lines
  implicit none
  integer, parameter :: n = 20000
  integer :: first(2)
  double precision :: field(n), incoming(2 * n), outgoing(2 * n)
end module lines

program handed_requests
  use mpi
  use lines
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, next, prev, ierr, i, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  first(1) = 1
  first(2) = n + 1
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  do step = 1, 3
    call exchange(prev, next)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program handed_requests

subroutine exchange(prev, next)
  use mpi
  use lines, only: n, field
  use gravel
  use lines, only: incoming, outgoing
  implicit none
  integer, intent(in) :: prev, next
  integer :: receive_id, send_id, ierr, part

  do part = 1, 2
    call start_receive(part, prev, receive_id)
    call start_send(part, next, send_id)
    ! gravel: waits here, was line 55: call mpi_wait(receive_id, mpi_status_ignore, ierr)
    call gravel_wait(receive_id, incoming, ierr)
    call take(part)
    ! gravel: waits here, was line 57: call mpi_wait(send_id, mpi_status_ignore, ierr)
    call gravel_wait(send_id, outgoing, ierr)
  end do
end subroutine exchange

subroutine start_receive(part, source, request)
  use mpi
  use lines
  use gravel
  implicit none
  integer, intent(in) :: part, source
  integer, intent(out) :: request
  integer :: ierr

  ! gravel: posted here, was line 69: call mpi_irecv(incoming(first(part)), n, mpi_double_precision, source...
  call gravel_post_rcv_buffer_rdma(incoming(first(part)), n, mpi_double_precision, source, 7, mpi_comm_world, &
       request, ierr)
end subroutine start_receive

subroutine start_send(part, destination, request)
  use mpi
  use lines
  use gravel
  implicit none
  integer, intent(in) :: part, destination
  integer, intent(out) :: request
  integer :: ierr, i, p

  p = first(part)
  do i = 1, n
    outgoing(p) = field(i) * 0.5d0 + dble(part)
    p = p + 1
  end do
  ! gravel: sent without waiting, was line 85: call mpi_isend(outgoing(first(part)), n, mpi_double_precisio...
  call gravel_post_send(outgoing(first(part)), n, mpi_double_precision, destination, 7, mpi_comm_world, &
       request, ierr)
end subroutine start_send

subroutine take(part)
  use lines
  implicit none
  integer, intent(in) :: part
  integer :: i

  do i = 1, n
    field(i) = 0.5d0 * field(i) + 0.125d0 * incoming(first(part) + i - 1)
  end do
end subroutine take
