! An object that holds requests is written as a member of a NAMELIST group: a further component would
! be written, too.
! expect: handled
module object_in_namelist_exchange
  use mpi
  implicit none

  integer, parameter :: n = 20000

  type :: ring
    integer :: requests(2) = mpi_request_null
  end type ring

  double precision :: sent(n), received(n)

contains

  subroutine start(self, rank, next, prev)
    type(ring), intent(inout) :: self
    integer, intent(in) :: rank, next, prev
    integer :: i, ierr

    call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, self%requests(1), ierr) ! trapped
    do i = 1, n
      sent(i) = dble(rank + 1) * dble(mod(i, 9))
    end do
    call mpi_isend(sent, n, mpi_double_precision, next, 1, mpi_comm_world, self%requests(2), ierr) ! trapped
  end subroutine start

  subroutine finish(self)
    type(ring), intent(inout) :: self
    integer :: ierr

    call mpi_waitall(2, self%requests, mpi_statuses_ignore, ierr) ! trapped
  end subroutine finish
end module object_in_namelist_exchange

program object_in_namelist
  use mpi
  use object_in_namelist_exchange
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)
  type(ring) :: r
  character(len=400) :: lines(8)
  namelist /group/ r

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
  call finish(r)
  lines = ' '
  write (lines, nml=group)
  if (rank == 0) write (*, '(a,l1)') 'another component: ', any(index(lines, 'GRAVEL') > 0)
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program object_in_namelist
