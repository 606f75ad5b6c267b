! The objects of an array are allocated by another object, whose memory is not theirs; numbers of them are sent by a datatype
! that steps from one to the next by as many integers as an object was long before.
! expect: handled
module allocated_objects_by_datatype_exchange
  use mpi
  implicit none

  integer, parameter :: n = 20000

  type :: ring
    integer :: mark
    integer :: requests(2)
  end type ring

  type :: field
    type(ring), allocatable :: rings(:)
  end type field

  double precision :: sent(n), received(n)

contains

  subroutine start(self, rank, next, prev)
    type(ring), intent(inout) :: self
    integer, intent(in) :: rank, next, prev
    integer :: i, ierr

    call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, self%requests(1), ierr) ! trapped
    do i = 1, n
      sent(i) = dble(rank + 1) * dble(mod(i, 9))
    end do
    call mpi_isend(sent, n, mpi_double_precision, next, 1, mpi_comm_world, self%requests(2), ierr) ! trapped
  end subroutine start

  subroutine finish(self)
    type(ring), intent(inout) :: self
    integer :: ierr

    call mpi_waitall(2, self%requests, mpi_statuses_ignore, ierr) ! trapped
  end subroutine finish
end module allocated_objects_by_datatype_exchange

program allocated_objects_by_datatype
  use mpi
  use allocated_objects_by_datatype_exchange
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)
  type(field) :: f
  integer :: column, marks(3)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  allocate (f%rings(3))
  do i = 1, 3
    f%rings(i)%mark = 10 * i + rank
  end do
  call mpi_type_vector(3, 1, 3, mpi_integer, column, ierr)
  call mpi_type_commit(column, ierr)
  marks = 0
  call mpi_sendrecv(f%rings(1)%mark, 1, column, next, 7, marks, 3, mpi_integer, prev, 7, mpi_comm_world, &
                    mpi_status_ignore, ierr)
  call start(f%rings(1), rank, next, prev)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(mod(i, 7)) / dble(i)
  end do
  call finish(f%rings(1))
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 7))
  end do
  checksum = checksum + sum(marks)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program allocated_objects_by_datatype
