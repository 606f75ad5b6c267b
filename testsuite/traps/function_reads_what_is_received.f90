! The tag of a receive is the value of a function that reads what the message before brings: the wait for that
! must not pass the post, which has gone up.
! expect: without sink-wait
module tags
  implicit none
  integer :: offset = 0

contains

  integer function tag_of(step)
    integer, intent(in) :: step

    tag_of = 10 * step + offset
  end function tag_of

  subroutine advance()
    offset = offset + 1
  end subroutine advance

end module tags

program function_reads_what_is_received
  use mpi
  use tags
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n)
  integer :: own
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
  end do
  own = 7
  call mpi_isend(own, 1, mpi_integer, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(offset, 1, mpi_integer, prev, 1, mpi_comm_world, status, ierr) ! trapped
  do i = 1, n
    work(i) = sqrt(dble(i + rank))
  end do
  call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 17, rbuf, n, mpi_double_precision, prev, tag_of(1), &
                    mpi_comm_world, status, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + work(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program function_reads_what_is_received
