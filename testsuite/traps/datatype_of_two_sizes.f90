! One variable of a COMMON block holds one datatype first and another one, of another size, later: the same calls send and
! receive elements of two sizes.
! expect: handled
program datatype_of_two_sizes
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, element_type
  common /types/ element_type
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  element_type = mpi_double_precision
  call shift(rank, next, prev, checksum)
  element_type = mpi_real
  call shift(rank, next, prev, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_of_two_sizes

subroutine shift(rank, next, prev, checksum)
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer, intent(in) :: rank, next, prev
  double precision, intent(inout) :: checksum
  integer :: i, ierr, request, element_type
  common /types/ element_type
  double precision :: sbuf(n), rbuf(n)

  do i = 1, n
    rbuf(i) = dble(i)
  end do
  call mpi_irecv(rbuf, n, element_type, prev, 1, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, element_type, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
end subroutine shift
