! An object keeps what the messages need to itself: functions tell its communicator, its neighbours, the datatype and the tag.
module domains
  use mpi
  implicit none
  private

  type, public :: domain
    private
    integer :: comm_ = mpi_comm_null, type_, rank_, ranks_
  contains
    procedure, public :: set_up
    procedure, public :: comm => communicator
    procedure, public :: next
    procedure, public :: prev
    procedure, public :: of_reals
    procedure, public :: tag
  end type domain

contains

  subroutine set_up(this, parent)
    class(domain), intent(inout) :: this
    integer, intent(in) :: parent
    integer :: ierr

    call mpi_comm_dup(parent, this%comm_, ierr)
    call mpi_comm_rank(this%comm_, this%rank_, ierr)
    call mpi_comm_size(this%comm_, this%ranks_, ierr)
    this%type_ = mpi_double_precision
  end subroutine set_up

  integer pure function communicator(this)
    class(domain), intent(in) :: this

    communicator = this%comm_
  end function communicator

  integer pure function next(this)
    class(domain), intent(in) :: this

    next = mod(this%rank_ + 1, this%ranks_)
  end function next

  pure function prev(this) result(process)
    class(domain), intent(in) :: this
    integer :: process

    process = mod(this%rank_ + this%ranks_ - 1, this%ranks_)
  end function prev

  pure function of_reals(this) result(datatype)
    class(domain), intent(in) :: this
    integer :: datatype

    datatype = this%type_
  end function of_reals

  ! One for each direction.
  pure integer function tag(this, is_forward)
    class(domain), intent(in) :: this
    logical, intent(in) :: is_forward

    if (is_forward) then
      tag = 11
    else
      tag = 12
    end if
  end function tag

end module domains

program getter_functions
  use mpi
  use domains
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  type(domain) :: ring
  integer :: ierr, rank, ranks, i, step, requests(2), world
  double precision :: sbuf(n), rbuf(n), work(n), back(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call ring%set_up(mpi_comm_world)
  checksum = 0.0d0
  do step = 1, 3
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call mpi_irecv(rbuf, n, ring%of_reals(), ring%prev(), ring%tag(.true.), ring%comm(), requests(1), ierr)
    call mpi_isend(sbuf, n, ring%of_reals(), ring%next(), ring%tag(.true.), ring%comm(), requests(2), ierr)
    do i = 1, n
      work(i) = dble(mod(i, 11)) * step
    end do
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    ! The communicator by way of a variable.
    world = ring%comm()
    call mpi_sendrecv(work, n, mpi_double_precision, ring%prev(), ring%tag(.false.), &
                      back, n, mpi_double_precision, ring%next(), ring%tag(.false.), world, mpi_status_ignore, ierr)
    do i = 1, n
      sbuf(i) = sbuf(i) + rbuf(i)
    end do
    do i = 1, n
      checksum = checksum + sbuf(i) * dble(mod(i, 7)) + back(i) * dble(mod(i, 5))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program getter_functions
