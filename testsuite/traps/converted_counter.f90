! A counter of the loop is converted to another kind and back: which values that gives is not known, and each message has
! its own tag.
! ranks: 1 2 3
! expect: handled
program converted_counter
  use mpi
  implicit none

  integer, parameter :: n = 5000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step, tag, place
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), w(2*n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  w = 1
  do step = 1, 4
    do i = 1, n
      sbuf(i) = dble(rank + step) * mod(i, 9)
    end do
    tag = int(int(step, 8) * 3_8)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, tag, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, tag, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    do i = 1, n
      place = int(2_8 * i)
      w(place) = 0.5d0 * w(place) + rbuf(i)
    end do
  end do
  checksum = sum(w)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program converted_counter
