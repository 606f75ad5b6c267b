! A value of a type that extends that of the object lists the components one after the other: with a
! further one among those that it inherits the list would be too short, and its end would go to
! others.
! expect: handled
module object_constructed_by_extension_exchange
  use mpi
  implicit none

  integer, parameter :: n = 20000

  type :: ring
    double precision :: sent(n), received(n)
    integer :: requests(2)
  end type ring

  type, extends(ring) :: marked_ring
    integer :: marks = 5
  end type marked_ring

contains

  subroutine start(self, rank, next, prev)
    type(ring), intent(inout) :: self
    integer, intent(in) :: rank, next, prev
    integer :: i, ierr

    call mpi_irecv(self%received, n, mpi_double_precision, prev, 1, mpi_comm_world, self%requests(1), ierr) ! trapped
    do i = 1, n
      self%sent(i) = dble(rank + 1) * dble(mod(i, 9))
    end do
    call mpi_isend(self%sent, n, mpi_double_precision, next, 1, mpi_comm_world, self%requests(2), ierr) ! trapped
  end subroutine start

  subroutine finish(self)
    type(ring), intent(inout) :: self
    integer :: ierr

    call mpi_waitall(2, self%requests, mpi_statuses_ignore, ierr) ! trapped
  end subroutine finish
end module object_constructed_by_extension_exchange

program object_constructed_by_extension
  use mpi
  use object_constructed_by_extension_exchange
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)
  type(marked_ring) :: r

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  r = marked_ring(0.0d0, 0.0d0, mpi_request_null, rank + 2)
  call start(r%ring, rank, next, prev)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(mod(i, 7)) / dble(i)
  end do
  call finish(r%ring)
  do i = 1, n
    checksum = checksum + r%received(i) * dble(mod(i, 7))
  end do
  checksum = checksum + r%marks

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program object_constructed_by_extension
