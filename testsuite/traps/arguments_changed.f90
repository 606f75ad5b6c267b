! Count, destination and tag change between the loop that fills the message and its send, and again
! directly after it.
! expect: handled
program arguments_changed
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: m, dest, tag
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do step = 1, 3
    m = 10
    dest = -7
    tag = 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 100 + step, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    m = n
    dest = next
    tag = 100 + step
    call mpi_send(sbuf, m, mpi_double_precision, dest, tag, mpi_comm_world, ierr) ! trapped
    m = 0
    dest = -9
    tag = 0
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) * dble(step) + dble(m + dest + tag)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program arguments_changed
