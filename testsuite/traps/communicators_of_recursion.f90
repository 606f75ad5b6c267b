! A recursive subroutine duplicates the world communicator before it calls itself and after it. Even processes descend two
! levels at once, odd ones one level twice: the second communicator is the one from before for even processes, and the one
! from after for odd ones. On that from after, messages are received from any process.
! ranks: 2 4
! expect: handled
program communicators_of_recursion
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks
  double precision :: checksum, checksums(max_ranks)
  integer :: i

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  checksum = 0.0d0
  if (mod(rank, 2) == 0) then
    call descend(2, rank, ranks, n, checksum)
  else
    call descend(1, rank, ranks, n, checksum)
    call descend(1, rank, ranks, n, checksum)
  end if

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program communicators_of_recursion

recursive subroutine descend(depth, rank, ranks, length, checksum)
  use mpi
  implicit none
  integer, intent(in) :: depth, rank, ranks, length
  double precision, intent(inout) :: checksum
  double precision :: outgoing(length), incoming(length)
  integer :: before, after, posted, late, status(mpi_status_size), ierr, i, next, prev

  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, length
    outgoing(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_comm_dup(mpi_comm_world, before, ierr)
  call mpi_irecv(incoming, length, mpi_double_precision, prev, 1, before, posted, ierr) ! trapped
  call mpi_send(outgoing, length, mpi_double_precision, next, 1, before, ierr) ! trapped
  call mpi_wait(posted, status, ierr)
  do i = 1, length
    checksum = checksum + incoming(i) * dble(mod(i, 7))
  end do
  if (depth > 1) call descend(depth - 1, rank, ranks, length, checksum)
  call mpi_comm_dup(mpi_comm_world, after, ierr)
  call mpi_irecv(incoming, length, mpi_double_precision, mpi_any_source, 1, after, late, ierr)
  call mpi_send(outgoing, length, mpi_double_precision, next, 1, after, ierr) ! trapped
  call mpi_wait(late, status, ierr)
  do i = 1, length
    checksum = checksum + incoming(i) * dble(mod(i, 5))
  end do
  call mpi_comm_free(before, ierr)
  call mpi_comm_free(after, ierr)
end subroutine descend
