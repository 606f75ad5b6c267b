! A program with operators and assignments of its own, whose procedures keep to themselves: what it knows of its
! communicator stays known.
! expect: handled
module levels
  use mpi
  implicit none
  integer, parameter :: length = 20000
  integer :: neighbours
  type :: level
    double precision :: height
  end type level
  interface assignment(=)
    module procedure set_height
  end interface
  interface operator(+)
    module procedure above
  end interface
contains
  subroutine set_height(this, height)
    type(level), intent(out) :: this
    double precision, intent(in) :: height
    this%height = height
  end subroutine set_height

  function above(one, other) result(both)
    type(level), intent(in) :: one, other
    type(level) :: both
    both%height = one%height + other%height
  end function above

  subroutine choose(wanted)
    integer, intent(in) :: wanted
    neighbours = mpi_comm_null
    if (wanted /= mpi_undefined) neighbours = mpi_comm_world
  end subroutine choose
end module levels

program defined_operations_elsewhere
  use mpi
  use levels
  implicit none
  type(level) :: sea
  double precision :: outgoing(length)

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request
  double precision :: rbuf(length)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  call choose(ranks)
  do i = 1, length
    outgoing(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, length, mpi_double_precision, prev, 1, neighbours, request, ierr) ! trapped
  call mpi_send(outgoing, length, mpi_double_precision, next, 1, neighbours, ierr) ! trapped
  sea = 3.0d0
  sea = sea + sea
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do i = 1, length
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + sea%height
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program defined_operations_elsewhere
