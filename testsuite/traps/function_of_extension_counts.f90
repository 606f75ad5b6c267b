! The tag is the value of a function that is bound to a type. That of an extension counts its calls.
! expect: kept unrepeatable-arguments
module numbering
  implicit none

  type :: numbers
    integer :: calls = 0
  contains
    procedure :: tag_of => plain_tag
  end type numbers

  type, extends(numbers) :: counting
  contains
    procedure :: tag_of => counted_tag
  end type counting

contains

  integer function plain_tag(this, step)
    class(numbers), intent(inout) :: this
    integer, intent(in) :: step

    plain_tag = step
  end function plain_tag

  integer function counted_tag(this, step)
    class(counting), intent(inout) :: this
    integer, intent(in) :: step

    this%calls = this%calls + 1
    counted_tag = step + this%calls - this%calls
  end function counted_tag

end module numbering

program function_of_extension_counts
  use mpi
  use numbering
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n)
  integer :: step
  class(numbers), allocatable :: any
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  allocate (counting :: any)
  do step = 1, 3
    do i = 1, n
      work(i) = sqrt(dble(i + rank + step))
    end do
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    if (rank == 0) write (*, '(a,i0)') 'step ', step
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, step, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, any%tag_of(step), mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) * dble(step) + work(i)
    end do
  end do
  checksum = checksum + dble(any%calls)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program function_of_extension_counts
