! A procedure inside another one sets its host's argument to the process's own communicator: the messages stay at home.
! ranks: 1 2 4
! expect: handled
program communicator_set_inside
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: comm, ierr, rank, ranks, i
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  do i = 1, n
    rbuf(i) = 1.0d0
  end do
  comm = mpi_comm_world
  call turn(comm, sbuf, rbuf)
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
end program communicator_set_inside

subroutine turn(comm, sbuf, rbuf)
  use mpi
  implicit none
  integer, intent(inout) :: comm
  integer, parameter :: n = 20000
  integer :: request, ierr
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)

  call stay
  call mpi_irecv(rbuf, n, mpi_double_precision, 0, 1, comm, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, 0, 1, comm, ierr) ! trapped
  call mpi_wait(request, status, ierr)

contains

  subroutine stay
    comm = mpi_comm_self
  end subroutine stay
end subroutine turn
