! Posts move above the counter of their requests, whose elements are used again in the same step.
! expect: handled
program counter_hand_over
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: i, step, nreq
  integer :: requests(3)
  double precision :: a(n), b(n), sbuf(n), field(n), inner(n)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  do step = 1, 3
    do i = 1, n
      inner(i) = field(i) * 0.75d0 + dble(step)
    end do
    nreq = 1
    requests = mpi_request_null
    if (step /= 2) then
      nreq = nreq + 1
      call mpi_irecv(a, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(nreq), ierr) ! trapped
    end if
    do i = 1, n
      sbuf(i) = inner(i) * 0.5d0
    end do
    if (step /= 2) call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    if (step /= 2) call mpi_wait(requests(nreq), mpi_status_ignore, ierr) ! trapped
    do i = 1, n
      inner(i) = inner(i) * 0.5d0
    end do
    if (nreq == 2) nreq = 0
    nreq = nreq + 1
    call mpi_irecv(b, n, mpi_double_precision, next, 2, mpi_comm_world, requests(nreq), ierr) ! trapped
    call mpi_send(inner, n, mpi_double_precision, prev, 2, mpi_comm_world, ierr) ! trapped
    call mpi_waitall(3, requests, mpi_statuses_ignore, ierr) ! trapped
    do i = 1, n
      field(i) = field(i) * 0.125d0 + b(i)
      if (step /= 2) field(i) = field(i) + a(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program counter_hand_over
