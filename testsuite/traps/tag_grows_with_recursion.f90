! A recursive subroutine hands its tag on, plus one; the last message is received from any process.
! expect: handled
program tag_grows_with_recursion
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
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
  call pass_on(sbuf, rbuf, n, next, prev, 1, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tag_grows_with_recursion

recursive subroutine pass_on(outgoing, incoming, length, to, from, tag, checksum)
  use mpi
  implicit none
  integer, intent(in) :: length, to, from, tag
  double precision, intent(inout) :: outgoing(length), incoming(length), checksum
  integer :: request, status(mpi_status_size), ierr, i

  if (tag < 3) then
    call mpi_irecv(incoming, length, mpi_double_precision, from, tag, mpi_comm_world, request, ierr) ! trapped
  else
    call mpi_irecv(incoming, length, mpi_double_precision, mpi_any_source, 3, mpi_comm_world, request, ierr)
  end if
  do i = 1, length
    outgoing(i) = outgoing(i) + dble(tag)
  end do
  call mpi_send(outgoing, length, mpi_double_precision, to, tag, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  do i = 1, length
    checksum = checksum + incoming(i) * dble(mod(i, 7))
  end do
  if (tag < 3) call pass_on(outgoing, incoming, length, to, from, tag + 1, checksum)
end subroutine pass_on
