! One procedure posts, another one tests, and is asked again and again: what it says has come is read by the main program. All
! that it may bring is in a module.
! expect: handled
module halo
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision :: sbuf(n), rbuf(n)
  integer :: receive, sends(2)
contains
  subroutine begin(next, prev)
    integer, intent(in) :: next, prev
    integer :: ierr

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, receive, ierr) ! trapped
    call mpi_isend(sbuf, 10, mpi_double_precision, next, 1, mpi_comm_world, sends(1), ierr) ! trapped
    call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, sends(2), ierr) ! trapped
  end subroutine begin

  logical function is_here()
    integer :: ierr

    call mpi_test(receive, is_here, mpi_status_ignore, ierr) ! trapped
  end function is_here

  integer function left(which)
    integer, intent(out) :: which
    integer :: ierr, told

    told = 0
    left = 0
    do while (told < 2)
      call mpi_waitany(2, sends, which, mpi_status_ignore, ierr) ! trapped
      told = told + 1
      left = left + which
    end do
  end function left
end module halo

program test_in_called_procedure
  use halo
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step, which
  logical :: has_come
  double precision :: other(n), inner(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do i = 1, n
    inner(i) = dble(mod(i, 5))
  end do

  do step = 1, 3
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call begin(next, prev)
    has_come = .false.
    do while (.not. has_come)
      has_come = is_here()
    end do
    do i = 1, 10
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
    call mpi_recv(other, n, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      inner(i) = inner(i) * 0.5d0 + 1.0d0
    end do
    do i = 1, n
      checksum = checksum + other(i) + inner(i)
    end do
    checksum = checksum + dble(left(which)) * 1.0d5
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program test_in_called_procedure
