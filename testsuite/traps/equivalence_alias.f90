! The receive buffer lies in the same memory as an array of another name that is read before the
! receive.
! expect: handled
program equivalence_alias
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, send_request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), history(n)
  double precision :: work
  equivalence (rbuf(1), history(1))
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    history(i) = dble(i)
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send_request, ierr)
  work = 1.0d0
  do i = 1, 400000
    work = 1.0d0 + 1.0d0 / work
  end do
  checksum = work
  do i = n, 1, -1
    checksum = checksum + history(i) * 0.5d0
  end do
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
  call mpi_wait(send_request, status, ierr)
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
end program equivalence_alias
