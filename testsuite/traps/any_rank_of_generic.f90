! Which procedure a generic name means is decided by a rank that only SELECT RANK knows: here it is the one that writes the
! message of a send.
! expect: without sink-wait
module shifting
  implicit none
  integer, parameter :: length = 20000
  double precision :: outgoing(length)
  interface shift
    module procedure shift_vector, shift_plane
  end interface
contains
  subroutine shift_all(array)
    double precision, intent(inout) :: array(..)

    select rank (array)
    rank (1)
      call shift(array)
    rank (2)
      call shift(array)
    end select
  end subroutine shift_all

  subroutine shift_vector(vector)
    double precision, intent(inout) :: vector(:)

    vector = vector + 1.0d0
  end subroutine shift_vector

  subroutine shift_plane(plane)
    double precision, intent(inout) :: plane(:, :)

    plane = plane + 1.0d0
    outgoing = -1.0d0
  end subroutine shift_plane
end module shifting

program any_rank_of_generic
  use mpi
  use shifting
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request
  double precision :: checksum, checksums(max_ranks)
  double precision :: incoming(length), other(2, 3)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  other = 1.0d0

  call mpi_irecv(incoming, length, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  do i = 1, length
    outgoing(i) = dble(rank + 1) * dble(mod(i, 9) + 1)
  end do
  call mpi_send(outgoing, length, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call shift_all(other)
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = sum(other)
  do i = 1, length
    checksum = checksum + incoming(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_rank_of_generic
