! A subroutine makes the length that it was given larger before it uses it.
! expect: without hoist-receive
program callee_changes_its_bound
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: length
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  rbuf = dble(rank)
  length = n / 2
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, n / 2, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call smooth(rbuf, length)
  call mpi_recv(rbuf(n / 2 + 1), n / 2, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  checksum = checksum + dble(length)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program callee_changes_its_bound

subroutine smooth(values, length)
  implicit none
  integer, intent(inout) :: length
  double precision, intent(inout) :: values(*)
  integer :: i

  length = length + 10
  do i = 2, length
    values(i) = 0.5d0 * (values(i) + values(i - 1))
  end do
end subroutine smooth
