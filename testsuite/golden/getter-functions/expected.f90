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
    use gravel
    class(domain), intent(inout) :: this
    integer, intent(in) :: parent
    integer :: ierr

    call mpi_comm_dup(parent, this%comm_, ierr)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(this%comm_)
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
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  type(domain) :: ring
  integer :: ierr, rank, ranks, i, step, requests(2), world
  double precision :: sbuf(n), rbuf(n), work(n), back(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call ring%set_up(mpi_comm_world)
  checksum = 0.0d0
  do step = 1, 3
    ! gravel: posted early, was line 93: call mpi_irecv(rbuf, n, ring%of_reals(), ring%prev(), ring%tag(.tr...
    call gravel_post_rcv_segments(rbuf, n, ring%of_reals(), ring%prev(), ring%tag(.true.), ring%comm(), &
         requests(1))
    ! gravel: one handshake, a put per tile, was line 94: call mpi_isend(sbuf, n, ring%of_reals(), ring%nex...
    call gravel_wait_rcv_buffer(sbuf, n, ring%of_reals(), ring%next(), ring%tag(.true.), ring%comm(), &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = dble(rank + step) * dble(mod(i, 9))
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: moved away from here, was line 93: call mpi_irecv(rbuf, n, ring%of_reals(), ring%prev(), ring...
    ierr = 0
    ! gravel: sent tile by tile above, was line 94: call mpi_isend(sbuf, n, ring%of_reals(), ring%next(), r...
    call gravel_send_fin(gravel_t1, requests(2), ierr)
    do i = 1, n
      work(i) = dble(mod(i, 11)) * step
    end do
    ! gravel: moved away from here, was line 98: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! The communicator by way of a variable.
    world = ring%comm()
    ! gravel: receives and sends here, was line 101: call mpi_sendrecv(work, n, mpi_double_precision, ring%...
    call gravel_post_rcv_buffer_rdma(back, n, mpi_double_precision, ring%next(), ring%tag(.false.), world, &
         gravel_r1)
    call gravel_post_send(work, n, mpi_double_precision, ring%prev(), ring%tag(.false.), world, gravel_s2, &
         ierr)
    ! gravel: the wait moved here, was line 98: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(2), sbuf)
    ! gravel: waits here for what each tile reads, was line 98: call mpi_waitall(2, requests, mpi_statuses_...
    gravel_step2 = gravel_tile(requests(1), n)
    if (gravel_step2 >= n) call gravel_wait(requests(1), rbuf)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(requests(1), rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         sbuf(i) = sbuf(i) + rbuf(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(requests(1), rbuf)
    ! gravel: the wait moved here, was line 101: call mpi_sendrecv(work, n, mpi_double_precision, ring%prev...
    call gravel_wait(gravel_r1, back)
    do i = 1, n
      checksum = checksum + sbuf(i) * dble(mod(i, 7)) + back(i) * dble(mod(i, 5))
    end do
    ! gravel: the wait moved here, was line 101: call mpi_sendrecv(work, n, mpi_double_precision, ring%prev...
    call gravel_wait(gravel_s2, work)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program getter_functions
