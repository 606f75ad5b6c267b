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
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks
  double precision :: field(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call steps(rank, ranks, field, n)
  checksum = sum(field)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:ranks)
  call mpi_finalize(ierr)
end program wrapped_calls

subroutine steps(rank, ranks, field, n)
  use messages
  implicit none
  integer, intent(in) :: rank, ranks, n
  double precision, intent(out) :: field(n)
  double precision :: outgoing(n), incoming(n), scratch(n), limit(1)
  integer :: next, previous, step, i

  next = mod(rank + 1, ranks)
  previous = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 11)) * 0.25d0
  end do
  limit(1) = dble(rank)
  call send_real(limit, 1, next, 9)
  call last_limit(limit(1))
  do step = 1, 3
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(step)
    end do
    call pass_on(next, outgoing, n, 4)
    do i = 1, n
      scratch(i) = field(i) * 0.25d0
    end do
    call receive_real(incoming, n, previous, 4)
    do i = 1, n
      field(i) = scratch(i) + incoming(i) * 0.5d0 + limit(1)
    end do
  end do
end subroutine steps

subroutine last_limit(limit)
  use mpi
  implicit none
  double precision, intent(inout) :: limit
  integer :: ierr

  call mpi_recv(limit, 1, mpi_double_precision, mpi_any_source, 9, mpi_comm_world, mpi_status_ignore, ierr)
end subroutine last_limit
