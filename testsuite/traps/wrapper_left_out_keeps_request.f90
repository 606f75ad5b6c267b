! A procedure that posts a receive leaves that out where there is nothing to receive: then the request stays the one
! of the receive before. Who takes such a call for one of a message from nobody loses the request that is waited for.
! expect: handled
! ranks: 2 3 4
program wrapper_left_out_keeps_request
  use mpi
  implicit none

  integer, parameter :: n = 4000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  rbuf = 0.0d0
  call post(rbuf, n, prev, request)
  call post(rbuf, 0, prev, request)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 3, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + sbuf(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine post(values, count, from, request)
    integer, intent(in) :: count, from
    double precision, intent(inout) :: values(*)
    integer, intent(inout) :: request
    integer :: ierr

    if (count > 0) call mpi_irecv(values, count, mpi_double_precision, from, 3, mpi_comm_world, request, ierr)
  end subroutine post

end program wrapper_left_out_keeps_request
