! One loop reads what has come and fills what goes to the next process: a tile is sent when it has been
! received and computed.
! expect: handled
program consumer_fills_next
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer :: i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), field(n)
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
  rbuf = 1.0d0
  if (rank == 0) prev = mpi_proc_null
  if (rank == ranks - 1) next = mpi_proc_null
  do step = 1, 4
    call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr) ! trapped
    do i = 1, n
      sbuf(i) = rbuf(i) * 0.5d0 + field(i)
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    do i = 1, n
      field(i) = sbuf(i) * 0.25d0 + dble(step)
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
end program consumer_fills_next
