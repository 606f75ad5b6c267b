! A procedure gets the pointer that is sent as its argument, and gives it every other element of an array: MPI gets a copy.
! expect: kept unsupported-buffer
module fields
  implicit none
  integer, parameter :: n = 20000
  double precision, target :: field(2 * n)
  double precision, pointer :: out(:)

contains
  subroutine choose(view)
    double precision, pointer, intent(out) :: view(:)
    view => field(1::2)
  end subroutine choose
end module fields

program pointer_with_gaps_by_argument
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, request, i, step
  double precision :: got(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  checksum = 0.0d0
  call choose(out)

  do step = 1, 3
    do i = 1, 2 * n
      field(i) = dble(rank + 1) + dble(mod(i * 7 + step, 23)) * 0.125d0
    end do
    call mpi_irecv(got, n, mpi_double_precision, mod(rank - 1 + ranks, ranks), 5, mpi_comm_world, request, ierr)
    call mpi_send(out, n, mpi_double_precision, mod(rank + 1, ranks), 5, mpi_comm_world, ierr) ! trapped
    do i = 1, 2 * n
      checksum = checksum + field(i) * 1.0d-3
    end do
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + got(i) * dble(mod(i, 11))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(i0, a, es22.14)') i - 1, ': ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program pointer_with_gaps_by_argument
