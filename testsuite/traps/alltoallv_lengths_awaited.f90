! The call needs lengths that a message brings; it names the first of them only.
! expect: without sink-wait
program alltoallv_lengths_awaited
  implicit none
  include 'mpif.h'

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, p, step
  integer :: lengths(2*max_ranks), places(max_ranks)
  double precision :: sbuf(2*n*max_ranks), rbuf(2*n*max_ranks), field(2*n*max_ranks)
  double precision :: checksum, checksums(max_ranks)
  integer :: right, left, request, news(2*max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do p = 1, 2*max_ranks
    lengths(p) = n
  end do
  do p = 1, max_ranks
    places(p) = (p - 1)*n
  end do
  do i = 1, 2*n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    sbuf(i) = 0.0d0
    rbuf(i) = 0.0d0
  end do
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)

  do step = 1, 3
    do i = 1, n*ranks
      sbuf(i) = field(i) * 0.5d0 + dble(step)
    end do
    do p = 1, 2*max_ranks
      news(p) = n - step
    end do
    call mpi_irecv(lengths(2), 2*max_ranks - 1, mpi_integer, left, 5, mpi_comm_world, request, ierr)
    call mpi_send(news(2), 2*max_ranks - 1, mpi_integer, right, 5, mpi_comm_world, ierr)
    lengths(1) = n - step
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    call mpi_alltoallv(sbuf, lengths(1), places(1), mpi_double_precision, rbuf, lengths(1), places(1), &
                       mpi_double_precision, mpi_comm_world, ierr)
    do i = 1, n*ranks
      field(i) = field(i) * 0.5d0 + rbuf(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, size(field)
    checksum = checksum + field(i) * dble(mod(i, 9)) + rbuf(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alltoallv_lengths_awaited
