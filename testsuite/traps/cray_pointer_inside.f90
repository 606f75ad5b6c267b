! A procedure inside of the program changes the address of the array that is received into.
! flags: -fcray-pointer
! expect: without hoist-receive
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), field(n), work(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program cray_pointer_inside
  use mpi
  use state
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: i, step, request
  double precision :: shared(n), other(n), checksum, checksums(max_ranks), received(n)
  pointer (place, received)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  field = dble(rank + 1)
  shared = 0.0d0
  other = 1.0d0
  place = loc(other)
  do step = 1, 4
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(mod(i, 7))
    end do
    call choose
    call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + shared(i) + other(i) * 0.25d0
    end do
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 11))
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

  subroutine choose
    place = loc(shared)
    if (mod(step, 2) == 0) place = loc(other)
  end subroutine choose

end program cray_pointer_inside
