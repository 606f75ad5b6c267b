! The procedure receives into an array of its module, and reads the same array as its argument before: the receive must not be
! posted above the loop that reads it.
! expect: without hoist-receive
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), incoming(n), field(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program alias_of_module_received
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
    do i = 1, n
      incoming(i) = field(i) * 0.125d0 + dble(mod(i, 5))
    end do
    call exchange(incoming, field)
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
end program alias_of_module_received

subroutine exchange(source, result)
  use mpi
  use state
  implicit none
  double precision, intent(in) :: source(n)
  double precision, intent(out) :: result(n)
  integer :: i, status(mpi_status_size)

  do i = 1, n
    outgoing(i) = source(i) * 2.0d0 + 1.0d0
  end do
  call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 1, incoming, n, mpi_double_precision, prev, 1, & ! trapped
                    mpi_comm_world, status, ierr)
  do i = 1, n
    result(i) = incoming(i) + 1.0d0
  end do
end subroutine exchange
