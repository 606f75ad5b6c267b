! The first message says how long the second one is: the wait for it must not pass where that is posted, further up.
! expect: without sink-wait
program count_received_before_post
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n)
  integer :: length, own
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
  own = 17000 + rank
  length = 0
  call mpi_isend(own, 1, mpi_integer, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(length, 1, mpi_integer, prev, 1, mpi_comm_world, status, ierr) ! trapped
  do i = 1, n
    work(i) = sqrt(dble(i + rank))
  end do
  call mpi_sendrecv(sbuf, own, mpi_double_precision, next, 2, rbuf, length, mpi_double_precision, prev, 2, &
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
end program count_received_before_post
