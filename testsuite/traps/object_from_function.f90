! What a function returns is a copy of the object; whether its requests are null is looked at there.
! expect: handled
module object_from_function_exchange
  use mpi
  implicit none

  integer, parameter :: n = 20000

  type :: ring
    double precision :: sent(n), received(n)
    integer :: requests(2)
  end type ring

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

  function copied(self) result(copy)
    type(ring), intent(in) :: self
    type(ring) :: copy

    copy = self
  end function copied
end module object_from_function_exchange

program object_from_function
  use mpi
  use object_from_function_exchange
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)
  type(ring) :: r

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  r%requests = mpi_request_null
  call start(r, rank, next, prev)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(mod(i, 7)) / dble(i)
  end do
  associate (copy => copied(r))
    if (all(copy%requests /= mpi_request_null)) checksum = checksum + 10.0d0
  end associate
  call finish(r)
  associate (copy => copied(r))
    if (all(copy%requests == mpi_request_null)) checksum = checksum + 1.0d0
  end associate
  do i = 1, n
    checksum = checksum + r%received(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program object_from_function
