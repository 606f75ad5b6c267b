! The procedure that waits gets the arrays of another exchange: the one that is waited for is still being written when the
! compiler thinks that nobody knows it.
! expect: handled
program handed_buffers_crossed
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: requests(2)
  double precision, asynchronous :: from_prev(n)
  double precision :: to_next(n), to_prev(n), from_next(n)
  double precision :: other(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    to_next(i) = dble(rank + 1) * dble(mod(i, 9))
    to_prev(i) = dble(rank + 2) * dble(mod(i, 11))
  end do
  other = 1.0d0
  from_prev = 0.0d0
  from_next = 0.0d0
  call start(from_prev, to_next, requests)
  call finish(other, to_prev, requests)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + from_prev(i) * dble(mod(i, 7)) - from_next(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
contains
  subroutine start(incoming, outgoing, handles)
    double precision, intent(inout), asynchronous :: incoming(n)
    double precision, intent(in), asynchronous :: outgoing(n)
    integer, intent(out) :: handles(2)
    integer :: error

    call mpi_irecv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, handles(1), error) ! trapped
    call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, handles(2), error) ! trapped
  end subroutine start

  subroutine finish(incoming, outgoing, handles)
    double precision, intent(inout) :: incoming(n), outgoing(n)
    integer, intent(inout) :: handles(2)
    integer :: error

    call mpi_waitall(2, handles, mpi_statuses_ignore, error)
    incoming(1) = incoming(1) + outgoing(1)
  end subroutine finish
end program handed_buffers_crossed
