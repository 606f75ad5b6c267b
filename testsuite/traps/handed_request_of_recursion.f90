! Each activation of a procedure that calls itself has its own request, and hands it to the procedure that posts: the
! requests of several activations are pending at the same time.
! expect: handled
module areas
  implicit none
  integer, parameter :: n = 20000
  integer, parameter :: depth = 3
  double precision :: incoming(n, depth)
end module areas

program handed_request_of_recursion
  use mpi
  use areas
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, level
  double precision :: sbuf(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call descend(1, prev, next, dble(rank + 1))
  checksum = 0.0d0
  do level = 1, depth
    do i = 1, n
      checksum = checksum + incoming(i, level) * dble(mod(i, 7) + level)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program handed_request_of_recursion

recursive subroutine descend(level, prev, next, weight)
  use mpi
  use areas
  implicit none
  integer, intent(in) :: level, prev, next
  double precision, intent(in) :: weight
  integer :: request, ierr, i
  double precision :: outgoing(n)

  call begin(level, prev, request)
  if (level < depth) call descend(level + 1, prev, next, weight)
  do i = 1, n
    outgoing(i) = weight * dble(mod(i, 9) + level)
  end do
  call mpi_send(outgoing, n, mpi_double_precision, next, level, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
end subroutine descend

subroutine begin(level, source, request)
  use mpi
  use areas
  implicit none
  integer, intent(in) :: level, source
  integer, intent(out) :: request
  integer :: ierr

  call mpi_irecv(incoming(1, level), n, mpi_double_precision, source, level, mpi_comm_world, request, ierr) ! trapped
end subroutine begin
