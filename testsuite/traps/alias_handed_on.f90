! One array is handed over twice, through a procedure that only hands its arguments on.
! expect: without hoist-receive
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program alias_handed_on
  use mpi
  use state
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: i, step
  double precision :: field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  field = dble(rank + 1)
  do step = 1, 4
    call hand_on(field, field)
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + (field(i)) * dble(mod(i, 11))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alias_handed_on

subroutine hand_on(one, other)
  use state
  implicit none
  double precision :: one(n), other(n)

  call exchange(one, other)
end subroutine hand_on

subroutine exchange(source, received)
  use mpi
  use state
  implicit none
  double precision :: source(n), received(n)
  integer :: i, status(mpi_status_size)

  do i = 1, n
    outgoing(i) = source(i) * 0.5d0 + dble(mod(i, 7))
  end do
  call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 1, received, n, mpi_double_precision, prev, 1, & ! trapped
                    mpi_comm_world, status, ierr)
end subroutine exchange
