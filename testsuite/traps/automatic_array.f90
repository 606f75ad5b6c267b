! The send buffer is an automatic array of a subroutine: its memory ends with the RETURN, and the
! next call uses it for other things.
! expect: handled
program automatic_array
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call pass_on(n, step, rank, next)
    call scribble(n, checksum)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program automatic_array

! Sends `length` elements that exist only during this call.
subroutine pass_on(length, step, rank, next)
  use mpi
  implicit none
  integer, intent(in) :: length, step, rank, next
  double precision :: message(length)
  integer :: i, ierr

  do i = 1, length
    message(i) = dble(rank + step) * dble(mod(i, 9))
  end do
  call mpi_send(message, length, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
end subroutine pass_on

! Uses the stack where the message was.
subroutine scribble(length, total)
  implicit none
  integer, intent(in) :: length
  double precision, intent(inout) :: total
  double precision :: scratch(length)
  integer :: i

  do i = 1, length
    scratch(i) = -dble(i)
  end do
  total = total + scratch(length / 2)
end subroutine scribble
