! A section of every second row is handed to a subroutine that changes one of its elements: a copy of all of it is
! written back.
! expect: without hoist-receive
program section_copied_back
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), grid(100, 100)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  grid = dble(rank)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, 5000, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call smooth(grid(1:99:2, :), 50)
  call mpi_recv(grid(1, 51), 5000, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, 100
    checksum = checksum + sum(grid(:, i)) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program section_copied_back

subroutine smooth(values, length)
  implicit none
  integer, intent(in) :: length
  double precision, intent(inout) :: values(length, *)

  values(1, 1) = values(1, 1) + 1.0d0
end subroutine smooth
