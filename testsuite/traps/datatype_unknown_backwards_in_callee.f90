! The elements of a datatype that is not known lie before the dummy argument that is named, in the part of its array that another one stands for.
! expect: in-place
program datatype_unknown_backwards_in_callee
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: made, pair
  character(len=20) :: text
  double precision :: a(n), b(n), c(n), d(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    b(i) = dble(rank + 1) - dble(mod(i * 5, 29)) * 0.125d0
  end do
  c = 0.0d0
  d = 0.0d0
  call mpi_type_vector(n / 2, 1, -1, mpi_double_precision, made, ierr)
  call mpi_type_commit(made, ierr)
  write (text, *) made
  read (text, *) pair
  call receive(c(1), c(n / 2 + 1), pair)
  checksum = sum(c) + sum(b) + sum(d)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
contains
  subroutine receive(before, behind, datatype)
    double precision, intent(inout) :: before(n / 2), behind(n / 2)
    integer, intent(in) :: datatype
    integer :: request
    call mpi_irecv(behind, 1, datatype, prev, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(a, n / 2, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    d(1) = sum(before)
    behind(2) = 3.0d0
  end subroutine receive
end program datatype_unknown_backwards_in_callee
