! An exchange of everyone with everyone fills an array that the procedure still reads as its argument.
! expect: without hoist-receive
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), incoming(n), field(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program alias_of_alltoall
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
  incoming = 0.5d0
  do step = 1, 4
    call exchange(incoming)
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
end program alias_of_alltoall

subroutine exchange(source)
  use mpi
  use state
  implicit none
  double precision, intent(inout) :: source(n)
  integer :: i

  do i = 1, n
    outgoing(i) = source(i) * 0.5d0 + field(i)
  end do
  call mpi_alltoall(outgoing, n / ranks, mpi_double_precision, incoming, n / ranks, mpi_double_precision, & ! trapped
                    mpi_comm_world, ierr)
  do i = 1, n
    field(i) = field(i) * 0.5d0 + incoming(i)
  end do
end subroutine exchange
