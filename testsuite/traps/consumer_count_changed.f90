! What the message is depends on variables that change between the receive and the loop, which reads other
! elements than it would seem.
! expect: without strip-mine-consumer
program consumer_count_changed
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer :: i, step, request
  double precision :: sbuf(n), rbuf(n), field(n)
  integer :: m, first
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  rbuf = 0.0d0
  do step = 1, 3
    first = 0
    m = n
    call mpi_irecv(rbuf(first + 1), m, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    m = n / 2 - step
    first = n - m
    do i = 1, n
      sbuf(i) = field(i) * 0.3d0 + dble(step)
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do i = 1, m
      field(i) = field(i) * 0.5d0 + rbuf(first + i) * 0.25d0
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program consumer_count_changed
