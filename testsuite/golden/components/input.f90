! Communicators, tags and ranks are components of objects that are handed down, as an object-oriented code keeps them.
module grids
  use mpi
  implicit none

  type :: topology
    integer :: comm = mpi_comm_null
    integer :: next, prev
  end type topology

  type :: grid
    type(topology) :: line
    integer :: comms(2)
    integer :: tag = 4
    integer :: number
  end type grid

contains

  subroutine set_up(this)
    type(grid), intent(inout) :: this
    integer :: rank, ranks, ierr

    call mpi_comm_dup(mpi_comm_world, this%line%comm, ierr)
    call mpi_comm_split(this%line%comm, 0, 0, this%comms(2), ierr)
    call mpi_comm_split(this%line%comm, 0, 0, this%comms(1), ierr)
    call mpi_comm_rank(this%line%comm, rank, ierr)
    call mpi_comm_size(this%line%comm, ranks, ierr)
    this%line%next = mod(rank + 1, ranks)
    this%line%prev = mod(rank - 1 + ranks, ranks)
    this%number = rank
  end subroutine set_up

  subroutine shift(this, n, checksum)
    type(grid), intent(in) :: this
    integer, intent(in) :: n
    double precision, intent(inout) :: checksum
    double precision :: sbuf(n), rbuf(n)
    integer :: ierr, request, i
    integer :: status(mpi_status_size)

    call mpi_irecv(rbuf, n, mpi_double_precision, this%line%prev, this%tag, this%line%comm, request, ierr)
    do i = 1, n
      sbuf(i) = dble(this%number + 1) * dble(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, this%line%next, this%tag, this%line%comm, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end subroutine shift

end module grids

program components
  use mpi
  use grids
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  type(grid) :: ours, copy
  integer :: ierr, rank, i, request
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  checksum = 0.0d0
  call set_up(ours)
  copy = ours
  do i = 1, 3
    call shift(copy, n, checksum)
  end do

  ! Another communicator, whose tags have nothing to do with those of the first, and any source on it.
  call mpi_irecv(rbuf, n, mpi_double_precision, mpi_any_source, 4, copy%comms(2), request, ierr)
  sbuf = dble(rank)
  call mpi_send(sbuf, n, mpi_double_precision, copy%line%next, 4, ours%comms(2), ierr)
  call mpi_wait(request, status, ierr)
  checksum = checksum + sum(rbuf)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    write (*, '(a,es24.16)') 'checksum of rank 0', checksums(1)
  end if
  call mpi_comm_free(ours%comms(1), ierr)
  call mpi_comm_free(ours%comms(2), ierr)
  call mpi_comm_free(ours%line%comm, ierr)
  call mpi_finalize(ierr)
end program components
