! Arrays are called like the intrinsic functions that the bounds of tiles are computed with.
! expect: without strip-mine-producer
program intrinsic_names_taken
  use mpi
  implicit none

  integer :: other
  double precision :: checksums(16)
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, max(2), int
  double precision :: checksum

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  max = 3
  int = 4
  call exchange()
  call exchange_again()
  checksum = checksum + sum(max) + int
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do other = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', other - 1, ' checksum ', checksums(other)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine exchange()
    double precision :: incoming(n), outgoing(n), min(2)
    integer :: request, k

    min = 5.0d0
    do k = 1, n
      outgoing(k) = dble(rank + 1) * dble(mod(k, 9))
    end do
    call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = sum(incoming) + sum(min)
  end subroutine exchange

  subroutine exchange_again()
    double precision :: incoming(n), outgoing(n)
    integer :: request, k

    do k = 1, n
      outgoing(k) = dble(rank + 1) * dble(mod(k, 7))
    end do
    call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = checksum + sum(incoming)
  end subroutine exchange_again
end program intrinsic_names_taken
