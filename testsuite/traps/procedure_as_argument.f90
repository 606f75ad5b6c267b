! A subroutine is called with one tag by its name and with another one as an argument of another subroutine.
! expect: without strip-mine-consumer
program procedure_as_argument
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  external :: hand_on
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
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call hand_on(sbuf, n, next, 1)
  call mpi_wait(request, status, ierr) ! trapped
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, mpi_any_source, 2, mpi_comm_world, request, ierr)
  call apply(hand_on, sbuf, n, next)
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
end program procedure_as_argument

subroutine hand_on(buffer, length, to, tag)
  use mpi
  implicit none
  integer, intent(in) :: length, to, tag
  double precision, intent(in) :: buffer(length)
  integer :: ierr

  call mpi_send(buffer, length, mpi_double_precision, to, tag, mpi_comm_world, ierr) ! trapped
end subroutine hand_on

subroutine apply(what, buffer, length, to)
  implicit none
  external :: what
  integer, intent(in) :: length, to
  double precision, intent(in) :: buffer(length)

  call what(buffer, length, to, 2)
end subroutine apply
