! What the emitted code needs would be declared on a line that is the program's: the reason says so.
! expect: kept shared-line
program declarations_share_a_line
  use mpi
  implicit none

  integer, parameter :: n = 100
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  double precision :: a(n), b(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  b = 0
  call exchange(a, b)
  checksum = 0
  do i = 1, n
    checksum = checksum + b(i) * i
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

  subroutine exchange(x, y); double precision, intent(inout) :: x(n), y(n); integer :: request, k
    call mpi_irecv(y, n, mpi_double_precision, mod(rank + ranks - 1, ranks), 1, mpi_comm_world, request, ierr) ! trapped
    do k = 1, n
      x(k) = k + rank
    end do
    call mpi_send(x, n, mpi_double_precision, mod(rank + 1, ranks), 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
  end subroutine
end program
