! An assignment that the program defines writes what is being sent.
! expect: without sink-wait
module levels
  implicit none
  integer, parameter :: length = 20000
  double precision :: outgoing(length)
  type :: level
    double precision :: height
  end type level
  interface assignment(=)
    module procedure set_height
  end interface
contains
  subroutine set_height(this, height)
    type(level), intent(out) :: this
    double precision, intent(in) :: height
    this%height = height
    outgoing = -height
  end subroutine set_height
end module levels

program defined_assignment_writes_message
  use mpi
  use levels
  implicit none
  type(level) :: sea

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request
  double precision :: rbuf(length)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, length
    outgoing(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, length, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(outgoing, length, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  sea = 3.0d0
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, length
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + sea%height
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program defined_assignment_writes_message
