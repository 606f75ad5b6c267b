! The requests are members of a COMMON block that a subroutine cuts in another way: what is two scalars here is an array
! there, and it waits for them.
! expect: kept request-escapes buffer-touched
program common_requests_cut_otherwise
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: send_request, receive_request
  common /pending/ send_request, receive_request
  double precision :: sbuf(n), rbuf(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, receive_request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send_request, ierr) ! trapped
  call complete
  checksum = 0.0d0
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
end program common_requests_cut_otherwise

subroutine complete
  use mpi
  implicit none
  integer :: requests(2), ierr
  common /pending/ requests

  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
end subroutine complete
