! The tag of one of two messages is a member of a COMMON block that a subroutine sets by the first member: it is the other's.
! expect: handled
program common_tag_set_by_first_member
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  integer :: first, second, tag
  double precision :: sbuf(n), rbuf(n), more(n)
  common /parameters/ first, second, tag
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  tag = 1
  sbuf = dble(rank + 1)
  more = dble(rank + 2)
  rbuf = 0.0d0
  checksum = 0.0d0
  do i = 1, 3
    call set(first, 3, i)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 3, mpi_comm_world, request, ierr) ! trapped
    sbuf = sbuf + i
    more = more * i
    if (i == 3) then
      call mpi_send(more, n, mpi_double_precision, next, tag, mpi_comm_world, ierr) ! trapped
    else
      call mpi_send(sbuf, n, mpi_double_precision, next, 3, mpi_comm_world, ierr)
    end if
    call mpi_wait(request, status, ierr)
    checksum = checksum + sum(rbuf)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program common_tag_set_by_first_member

subroutine set(values, number, value)
  implicit none
  integer, intent(in) :: number, value
  integer, intent(out) :: values(number)
  integer :: i

  do i = 1, number
    values(i) = value
  end do
end subroutine set
