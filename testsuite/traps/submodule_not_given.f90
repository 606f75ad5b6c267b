! The body of what is called below the wait stands in a submodule that is not among the files: it uses the array
! that is received, which only its module has.
! expect: kept
! companion: submodule_not_given_companion.f90
module fields
  implicit none
  integer, parameter :: n = 20000
  double precision :: rbuf(n)

  interface
    module subroutine settle(others)
      double precision, intent(inout) :: others(n)
    end subroutine settle
  end interface

end module fields

program submodule_not_given
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
    work(i) = dble(i)
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr) ! trapped
  call settle(work)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + work(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program submodule_not_given
