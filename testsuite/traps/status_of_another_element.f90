! The subscript of the status changes between the receive and the loop that reads the message.
! expect: without sink-wait
program status_of_another_element
  use mpi_f08
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, length
  type(mpi_request) :: request
  type(mpi_status) :: statuses(0:n + 1)
  double precision :: sbuf(n), rbuf(n), work(n)
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
  call mpi_isend(sbuf, n / 2 + rank, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  i = 1000
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, statuses(i), ierr) ! trapped
  do i = 1, n
    work(i) = sqrt(dble(i + rank))
  end do
  call mpi_get_count(statuses(1000), mpi_double_precision, length, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + work(i)
  end do
  checksum = checksum + dble(length)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program status_of_another_element
