! Some objects of the type have an array with half as many columns as they say.
! expect: without sink-wait
module fields
  implicit none
  type :: field
    integer :: columns
    double precision, allocatable :: u(:, :)
  end type field

contains

  subroutine make(this, columns)
    type(field), intent(inout) :: this
    integer, intent(in) :: columns

    this%columns = columns
    allocate (this%u(columns, 4))
  end subroutine make

  subroutine make_half(this, columns)
    type(field), intent(inout) :: this
    integer, intent(in) :: columns

    this%columns = columns
    allocate (this%u(columns/2, 4))
  end subroutine make_half

end module fields

module exchanges
  use mpi
  use fields
  implicit none

contains

  subroutine exchange(this, sbuf, next, prev, total)
    type(field), intent(inout) :: this
    double precision, intent(in) :: sbuf(:)
    integer, intent(in) :: next, prev
    double precision, intent(inout) :: total
    integer :: request, ierr, i
    integer :: status(mpi_status_size)

    call mpi_irecv(this%u(1, 1), this%columns, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, this%columns, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr) ! trapped
    do i = 1, 9000
      total = total + this%u(i, 2) * dble(mod(i, 7))
    end do
  end subroutine exchange

end module exchanges

program bounds_of_other_objects
  use mpi
  use fields
  use exchanges
  implicit none

  integer, parameter :: max_ranks = 16, n = 20000
  type(field) :: ours, theirs
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call make_half(ours, n)
  call make(theirs, n)
  ours%u = 0.0d0
  call exchange(ours, sbuf, next, prev, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program bounds_of_other_objects
