! Two pieces of one work array, at offsets that are computed, overlap: one is received into while the other is still read.
! expect: without hoist-receive
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program alias_of_pieces
  use mpi
  use state
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: i, step
  double precision :: work(3 * n)
  integer :: first, second
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  work = dble(rank + 1)
  first = 1 + ranks / 8
  second = first + n / 2
  do step = 1, 4
    call exchange(work(first), work(second))
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + (work(i) + work(i + n) + work(i + 2 * n)) * dble(mod(i, 11))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alias_of_pieces

subroutine exchange(source, received)
  use mpi
  use state
  implicit none
  double precision, intent(in) :: source(*)
  double precision, intent(inout) :: received(*)
  integer :: i, status(mpi_status_size)

  do i = 1, n
    outgoing(i) = source(i) * 0.5d0 + dble(mod(i, 7))
  end do
  call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 1, received, n, mpi_double_precision, prev, 1, & ! trapped
                    mpi_comm_world, status, ierr)
end subroutine exchange
