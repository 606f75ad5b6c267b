! A subroutine without a name for the receive buffer calls another one that reads and writes it, as a variable
! of a module. A receive must not be posted above that call.
! expect: without hoist-receive
module buffers
  implicit none
  integer, parameter :: n = 20000
  double precision :: rbuf(n)
end module buffers

program module_variable_out_of_sight
  use mpi
  use buffers
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n)
  double precision :: first
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  rbuf = dble(rank)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call outer(first)
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = checksum + first
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program module_variable_out_of_sight

subroutine outer(first)
  implicit none
  double precision, intent(out) :: first

  call inner(first)
end subroutine outer

subroutine inner(first)
  use buffers
  implicit none
  double precision, intent(out) :: first

  first = rbuf(1)
  rbuf(1) = first + 3.0d0
  rbuf(n) = first
end subroutine inner
