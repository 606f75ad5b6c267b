! An array that is deallocated gets its bounds from the expression that is assigned to it, and these begin at 1: the message
! fills it to its last element, which lies behind the message for whoever believes the bounds of the ALLOCATE statement.
! expect: without sink-wait
program assigned_where_deallocated
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision, allocatable :: u(:), v(:)
  double precision :: sbuf(n), w(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  allocate (u(0:n), v(0:n))
  v = dble(rank)
  u = v
  deallocate (u)
  u = v + 1.0d0
  w = dble(rank)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9) + 2)
  end do
  call mpi_irecv(u, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = u(n)
  do i = 1, n
    w(i) = w(i) * 2.0d0
  end do
  checksum = checksum + sum(w) + 3.0d0 * sum(u)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program assigned_where_deallocated
