! The tags have the numbers that their declaration gives them only in the first of the calls: a procedure that gets
! the array from its second element on changes the next one. Who takes the tag for the number of its declaration
! converts the send without the receive from any process.
! expect: handled
! ranks: 2 3 4
program tag_array_shifted
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: tags(3) = [5, 6, 1]
  integer :: ierr, rank, ranks, next, prev, request, i
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
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, tags(3), mpi_comm_world, ierr) ! trapped
  do i = 1, n
    sbuf(i) = sbuf(i) + dble(mod(i, 5))
  end do
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  call next_tag(tags(2))
  call mpi_send(sbuf, n, mpi_double_precision, next, tags(3), mpi_comm_world, ierr) ! trapped
  call mpi_recv(rbuf, n, mpi_double_precision, mpi_any_source, 2, mpi_comm_world, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine next_tag(more)
    integer, intent(inout) :: more(*)

    more(2) = more(2) + 1
  end subroutine next_tag

end program tag_array_shifted
