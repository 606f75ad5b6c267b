! The datatype of a structure lies at addresses: two arrays, of which the call names the first one only.
! expect: in-place
program datatype_structure
  use mpi
  implicit none

  integer, parameter :: nx = 60, ny = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: requests(2), sent, received, lengths(2), types(2)
  integer(mpi_address_kind) :: places(2), origin
  double precision :: a(ny), b(ny), c(ny), d(ny)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, ny
    a(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    b(i) = dble(rank + 1) - dble(mod(i * 5, 29)) * 0.125d0
  end do
  lengths = ny
  types = mpi_double_precision
  call mpi_get_address(a, origin, ierr)
  call mpi_get_address(b, places(2), ierr)
  places(1) = 0
  places(2) = places(2) - origin
  call mpi_type_create_struct(2, lengths, places, types, sent, ierr)
  call mpi_type_commit(sent, ierr)
  call mpi_get_address(c, origin, ierr)
  call mpi_get_address(d, places(2), ierr)
  places(2) = places(2) - origin
  call mpi_type_create_struct(2, lengths, places, types, received, ierr)
  call mpi_type_commit(received, ierr)
  call mpi_irecv(c, 1, received, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(a, 1, sent, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, ny
    checksum = checksum + d(i) * dble(mod(i, 13)) - c(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_structure
