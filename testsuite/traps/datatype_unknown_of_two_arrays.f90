! What the handle holds is not known, but the program makes a datatype whose elements lie in two arrays, of which the call names one.
! expect: in-place
program datatype_unknown_of_two_arrays
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request, made, pair, lengths(2), types(2)
  integer(mpi_address_kind) :: places(2), origin
  character(len=20) :: text
  double precision :: a(2*n), b(n), c(n), d(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    a(n + i) = a(i) * 0.5d0
    b(i) = dble(rank + 1) - dble(mod(i * 5, 29)) * 0.125d0
  end do
  c = 0.0d0
  d = 0.0d0
  lengths = n
  types = mpi_double_precision
  call mpi_get_address(c, origin, ierr)
  call mpi_get_address(d, places(2), ierr)
  places(1) = 0
  places(2) = places(2) - origin
  call mpi_type_create_struct(2, lengths, places, types, made, ierr)
  call mpi_type_commit(made, ierr)
  write (text, *) made
  read (text, *) pair
  call mpi_irecv(c, 1, pair, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(a, 2*n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + d(i) * dble(mod(i, 13)) - c(i) + b(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_unknown_of_two_arrays
