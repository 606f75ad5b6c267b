! Both messages are parts of one long array; the actual argument is the first element of the part
! (sequence association).
program offset_start
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: store(3*n)
  integer :: outgoing, incoming
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  outgoing = 1
  incoming = 2*n + 1
  do i = 1, 3*n
    store(i) = dble(rank)
  end do
  do step = 1, 3
    call mpi_irecv(store(incoming), n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
    do i = 1, n
      store(i) = dble(rank + step) + dble(mod(i, 19)) * 0.5d0
    end do
    call mpi_send(store(outgoing), n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      store(n + i) = store(n + i) * 0.5d0 + store(2*n + i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, 3*n
    checksum = checksum + store(i) * dble(mod(i, 23))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program offset_start
