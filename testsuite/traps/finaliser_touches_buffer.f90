! An object of a called procedure ends with a call of its finaliser, which changes the receive buffer.
! expect: without hoist-receive
module finalised
  implicit none
  double precision :: incoming(20000)

  type held
    integer, allocatable :: item
  contains
    final :: release
  end type held

contains

  subroutine release(object)
    type(held), intent(inout) :: object

    call touch(object%item)
  end subroutine release

  subroutine touch(item)
    integer, allocatable, intent(in) :: item

    if (.not. allocated(item)) incoming(5) = 77.0d0
  end subroutine touch

  subroutine hold()
    type(held) :: object

    call look_at(object)
  end subroutine hold

  subroutine look_at(object)
    type(held), intent(in) :: object

    if (allocated(object%item)) return
  end subroutine look_at
end module finalised

program finaliser_touches_buffer
  use mpi
  use finalised
  implicit none

  integer :: other
  double precision :: checksums(16)
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision :: outgoing(n), work(n), checksum

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  incoming = 0.0d0
  outgoing = dble(rank + 5)
  call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  do i = 1, n
    work(i) = sqrt(dble(i)) + sin(dble(i))
  end do
  call hold()
  call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  checksum = checksum + sum(incoming) + sum(work)
  call mpi_wait(request, mpi_status_ignore, ierr)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do other = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', other - 1, ' checksum ', checksums(other)
    end do
  end if
  call mpi_finalize(ierr)
end program finaliser_touches_buffer
