! The persistent receive into the memory of a message is prepared, started and completed by procedures that get no
! array: nothing but the request, in a module, says what they touch.
! expect: without sink-wait
module exchange
  use mpi
  implicit none

  integer :: incoming, outgoing

contains

  subroutine setup(field, source, n, next, prev)
    double precision, intent(inout) :: field(*), source(*)
    integer, intent(in) :: n, next, prev
    integer :: ierr

    call mpi_recv_init(field, n, mpi_double_precision, prev, 1, mpi_comm_world, incoming, ierr)
    call mpi_send_init(source, n, mpi_double_precision, next, 1, mpi_comm_world, outgoing, ierr)
  end subroutine setup

  subroutine begin()
    integer :: ierr

    call mpi_start(incoming, ierr)
    call mpi_start(outgoing, ierr)
  end subroutine begin

  subroutine finish()
    integer :: ierr

    call mpi_wait(incoming, mpi_status_ignore, ierr)
    call mpi_wait(outgoing, mpi_status_ignore, ierr)
  end subroutine finish

end module exchange

program persistent_started_by_procedure
  use mpi
  use exchange
  implicit none

  integer, parameter :: n = 200000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, posted, other, i, step
  double precision, target :: field(n), source(n)
  double precision :: copy(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 9))
    source(i) = dble(rank + 7) * dble(mod(i, 5))
  end do

  call setup(field, source, n, next, prev)
  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(copy, n, mpi_double_precision, prev, 2, mpi_comm_world, posted, ierr)
    call mpi_isend(field, n, mpi_double_precision, next, 2, mpi_comm_world, other, ierr)
    call mpi_wait(other, mpi_status_ignore, ierr) ! trapped
    call begin()
    do i = 1, n
      checksum = checksum + 0.25d0 * dble(mod(i * step, 11))
    end do
    call mpi_wait(posted, mpi_status_ignore, ierr)
    call finish()
    do i = 1, n
      checksum = checksum + copy(i) * dble(mod(i, 7)) + field(i)
      source(i) = source(i) + copy(i)
    end do
  end do
  call mpi_request_free(incoming, ierr)
  call mpi_request_free(outgoing, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_started_by_procedure
