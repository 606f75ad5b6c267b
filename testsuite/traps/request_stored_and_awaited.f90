! The request is stored elsewhere, and waited for by its first name all the same.
! expect: handled
program request_stored_and_awaited
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer, parameter :: n = 20000
  integer :: request, other
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = -1.0d0
  other = mpi_request_null
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  other = request
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  call add_up(rbuf, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine add_up(values, total)
    double precision, intent(in) :: values(n)
    double precision, intent(inout) :: total
    integer :: k

    do k = 1, n
      total = total + values(k) * dble(mod(k, 7))
    end do
  end subroutine add_up

end program request_stored_and_awaited
