! The tag is changed by one of several procedures behind a generic name, that for its kind of integers.
! expect: handled
module changes
  implicit none
  interface change
    module procedure change_long, change_number
  end interface change

contains

  subroutine change_long(x)
    integer(selected_int_kind(18)), intent(inout) :: x

    x = x + 1
  end subroutine change_long

  subroutine change_number(number, by)
    integer, intent(inout) :: number
    integer, intent(in), optional :: by

    number = 2
    if (present(by)) number = number + by
  end subroutine change_number

end module changes

program generic_of_two_kinds
  use mpi
  use changes
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, tag
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  tag = 1
  call change(tag)
  call mpi_irecv(rbuf, n, mpi_double_precision, mpi_any_source, 2, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, tag, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program generic_of_two_kinds
