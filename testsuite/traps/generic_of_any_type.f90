! The tag is changed by one of two procedures behind a generic name: by the one whose first argument may be anything, as
! a directive of the compiler says.
! expect: kept
module changes
  implicit none
  interface change
    module procedure change_anything, change_number
  end interface change

contains

  subroutine change_anything(x, by)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: x
    integer, intent(inout) :: x(*)
    integer, intent(in) :: by
    interface
      subroutine set_number(x, by)
        !GCC$ ATTRIBUTES NO_ARG_CHECK :: x
        integer, intent(inout) :: x(*)
        integer, intent(in) :: by
      end subroutine set_number
    end interface

    call set_number(x, by)
  end subroutine change_anything

  subroutine change_number(number, by)
    integer, intent(in) :: number
    integer(selected_int_kind(18)), intent(in) :: by

    if (by > 100) print '(a,i0)', 'a large change of ', number
  end subroutine change_number

end module changes

subroutine set_number(number, by)
  implicit none
  integer, intent(inout) :: number(*)
  integer, intent(in) :: by

  number(1) = 2 * by
end subroutine set_number

program generic_of_any_type
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
  call change(tag, 1)
  call mpi_isend(sbuf, n, mpi_double_precision, next, tag, mpi_comm_world, request, ierr) ! trapped
  if (ranks > max_ranks) then
    call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
  else
    call mpi_probe(prev, 2, mpi_comm_world, status, ierr); ierr = 0
    call mpi_recv(rbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, status, ierr)
  end if
  call mpi_wait(request, mpi_status_ignore, ierr)
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
end program generic_of_any_type
