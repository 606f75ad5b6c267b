! The first member of the COMMON block that a subroutine clears is a scalar, and the length is in a variable. It is handed on
! by a subroutine for which it is a scalar, too.
! expect: handled
program common_cleared_through_scalar
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  integer :: length
  double precision :: header, sbuf(n), rbuf(n)
  common /exchange_area/ header, sbuf, rbuf
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  length = 1 + 2*n
  if (ranks > max_ranks) length = length - n
  header = 1.0d0
  rbuf = 2.0d0
  call start_over(header, length)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  checksum = sum(sbuf)
  call clear(header, length - n)
  checksum = checksum + sum(rbuf) + sum(sbuf)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program common_cleared_through_scalar

subroutine start_over(first, number)
  implicit none
  integer, intent(in) :: number
  double precision, intent(inout) :: first

  call clear(first, number)
end subroutine start_over

subroutine clear(values, number)
  implicit none
  integer, intent(in) :: number
  double precision, intent(out) :: values(number)
  integer :: i

  do i = 1, number
    values(i) = 0.0d0
  end do
end subroutine clear
