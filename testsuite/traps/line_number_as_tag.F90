! The tag of a receive is the number of a line: computed further up, it would be another one.
! expect: without hoist-receive
program line_number_as_tag
  use mpi
  implicit none

  integer, parameter :: n = 20000, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, tag_of_receive, request
  double precision :: sent(n), received(n), work, checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  work = 0.0d0
  do i = 1, n
    work = work + dble(mod(i, 5)) / dble(i)
  end do
  tag_of_receive = __LINE__
  call mpi_irecv(received, n, mpi_double_precision, prev, tag_of_receive, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sent, n, mpi_double_precision, next, tag_of_receive, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = work
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program line_number_as_tag
