! The requests of an object are handed down to the procedure that waits for them: what it does with
! its argument it may do with those of others.
! expect: handled
module object_request_handed_down_exchange
  use mpi
  implicit none

  integer, parameter :: n = 20000

  type :: ring
    double precision :: sent(n), received(n)
    integer :: requests(2)
  end type ring

contains

  subroutine start(self, rank, next, prev)
    type(ring), intent(inout) :: self
    integer, intent(in) :: rank, next, prev
    integer :: i, ierr

    call mpi_irecv(self%received, n, mpi_double_precision, prev, 1, mpi_comm_world, self%requests(1), ierr) ! trapped
    do i = 1, n
      self%sent(i) = dble(rank + 1) * dble(mod(i, 9))
    end do
    call mpi_isend(self%sent, n, mpi_double_precision, next, 1, mpi_comm_world, self%requests(2), ierr) ! trapped
  end subroutine start

  subroutine wait_for(requests)
    integer, intent(inout) :: requests(2)
    integer :: ierr

    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  end subroutine wait_for
end module object_request_handed_down_exchange

program object_request_handed_down
  use mpi
  use object_request_handed_down_exchange
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)
  type(ring) :: r

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  call start(r, rank, next, prev)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + dble(mod(i, 7)) / dble(i)
  end do
  call wait_for(r%requests)
  do i = 1, n
    checksum = checksum + r%received(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program object_request_handed_down
