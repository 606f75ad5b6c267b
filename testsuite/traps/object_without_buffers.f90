! The objects of a chain of processes have buffers only on the sides where there is a neighbour: a
! wait that names all of them comes to some that are not there.
! expect: handled
module object_without_buffers_exchange
  use mpi
  implicit none

  integer, parameter :: n = 20000

  type :: ring
    double precision, allocatable :: to_left(:), to_right(:), from_left(:), from_right(:)
    integer :: requests(4) = mpi_request_null
  end type ring

contains

  subroutine start(self, rank, next, prev)
    type(ring), intent(inout) :: self
    integer, intent(in) :: rank, next, prev
    integer :: ierr

    if (prev < rank) then
      if (.not. allocated(self%from_left)) allocate (self%to_left(n), self%from_left(n))
      call mpi_irecv(self%from_left, n, mpi_double_precision, prev, 1, mpi_comm_world, self%requests(1), ierr) ! trapped
      self%to_left = dble(rank + 1)
      call mpi_isend(self%to_left, n, mpi_double_precision, prev, 2, mpi_comm_world, self%requests(2), ierr) ! trapped
    end if
    if (next > rank) then
      if (.not. allocated(self%from_right)) allocate (self%to_right(n), self%from_right(n))
      call mpi_irecv(self%from_right, n, mpi_double_precision, next, 2, mpi_comm_world, self%requests(3), ierr) ! trapped
      self%to_right = dble(3 * rank + 2)
      call mpi_isend(self%to_right, n, mpi_double_precision, next, 1, mpi_comm_world, self%requests(4), ierr) ! trapped
    end if
  end subroutine start

  subroutine finish(self)
    type(ring), intent(inout) :: self
    integer :: ierr

    call mpi_waitall(4, self%requests, mpi_statuses_ignore, ierr) ! trapped
  end subroutine finish
end module object_without_buffers_exchange

program object_without_buffers
  use mpi
  use object_without_buffers_exchange
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

  call finish(r)
  call start(r, rank, next, prev)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(mod(i, 7)) / dble(i)
  end do
  call finish(r)
  if (allocated(r%from_left)) checksum = checksum + sum(r%from_left)
  if (allocated(r%from_right)) checksum = checksum + 2.0d0 * sum(r%from_right)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program object_without_buffers
