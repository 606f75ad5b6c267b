! Structures: their elements are of several types, and lie where the addresses of an object's components say, or known
! numbers. A message of them is any part of its variable, which may be an object.
module particles
  use mpi
  implicit none
  integer, parameter :: room = 200
  type :: cloud
    sequence
    double precision :: places(3, room)
    double precision :: charge(room)
    integer :: marks(room)
    integer :: filled
  end type cloud
contains
  subroutine make_type(one, datatype)
    type(cloud), intent(in) :: one
    integer, intent(out) :: datatype
    integer :: lengths(4), types(4), ierr
    integer(mpi_address_kind) :: places(4), origin
    call mpi_get_address(one%places, places(1), ierr)
    call mpi_get_address(one%charge, places(2), ierr)
    call mpi_get_address(one%marks, places(3), ierr)
    call mpi_get_address(one%filled, places(4), ierr)
    origin = places(1)
    places = places - origin
    lengths = [3*room, room, room, 1]
    types = [mpi_double_precision, mpi_double_precision, mpi_integer, mpi_integer]
    call mpi_type_create_struct(4, lengths, places, types, datatype, ierr)
    call mpi_type_commit(datatype, ierr)
  end subroutine make_type
end module particles

program datatypes_of_objects
  use particles
  implicit none

  integer, parameter :: max_ranks = 16, n = 600
  integer :: rank, ranks, next, prev, ierr, i, request, cloud_type, pieces
  integer :: lengths(2), types(2)
  integer(mpi_address_kind) :: places(2)
  type(cloud) :: here, there, several(2)
  double precision :: a(n), b(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, room
    here%places(:, i) = dble(rank + 1) + dble(mod(i, 19)) * 0.25d0
    here%charge(i) = dble(mod(i * (rank + 2), 7))
    here%marks(i) = i * (rank + 1)
  end do
  here%filled = room - rank
  a = dble(rank + 1)
  b = 0.0d0
  call make_type(here, cloud_type)
  lengths = [10, 20]
  places = [0, 800]
  types = [mpi_double_precision, mpi_real]
  call mpi_type_create_struct(2, lengths, places, types, pieces, ierr)
  call mpi_type_commit(pieces, ierr)

  call mpi_irecv(there, 1, cloud_type, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(here, 1, cloud_type, next, 1, mpi_comm_world, ierr)
  do i = 1, n
    a(i) = a(i) + dble(mod(i, 11)) * 0.5d0
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = sum(there%places) + sum(there%charge) + dble(sum(there%marks)) + dble(there%filled)

  call mpi_sendrecv(a(1), 2, pieces, next, 2, b(1), 2, pieces, prev, 2, mpi_comm_world, mpi_status_ignore, ierr)
  do i = 1, room
    here%charge(i) = here%charge(i) * 2.0d0
  end do
  call mpi_sendrecv(there, 1, cloud_type, next, 3, here, 1, cloud_type, prev, 3, mpi_comm_world, mpi_status_ignore, ierr)
  call mpi_sendrecv(a(200), 1, pieces, next, 4, b(400), 1, pieces, prev, 4, mpi_comm_world, mpi_status_ignore, ierr)
  several = here
  ! That no component lies before the one of which distances are counted is not known: this stays.
  call mpi_sendrecv(here, 1, cloud_type, next, 5, several(2), 1, cloud_type, prev, 5, mpi_comm_world, mpi_status_ignore, ierr)

  checksum = checksum + sum(a) + 3.0d0 * sum(b) + sum(here%places) + sum(here%charge) + sum(several(2)%charge)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      print '(a,i3,a,es24.16)', 'rank', i - 1, ' checksum', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatypes_of_objects
