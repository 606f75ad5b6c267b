! What a loop has filled is changed by its other name before it is sent: nothing may leave while the loop runs.
! expect: without strip-mine-producer
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: shared(n), incoming(n), field(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program alias_corrected_behind_loop
  use mpi
  use state
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: i, step

  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  field = dble(rank + 1)
  do step = 1, 4
    call exchange(shared)
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
end program alias_corrected_behind_loop

subroutine exchange(outgoing)
  use mpi
  use state
  implicit none
  double precision, intent(inout) :: outgoing(n)
  integer :: i, status(mpi_status_size)

  do i = 1, n
    outgoing(i) = field(i) * 0.5d0 + dble(mod(i, 7))
  end do
  call correct
  call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 1, incoming, n, mpi_double_precision, prev, 1, & ! trapped
                    mpi_comm_world, status, ierr)
  do i = 1, n
    field(i) = field(i) * 0.5d0 + incoming(i)
  end do
end subroutine exchange

subroutine correct
  use state
  implicit none
  integer :: i

  do i = 1, n
    shared(i) = shared(i) + dble(mod(i, 4))
  end do
end subroutine correct
