! An assignment to the whole of an array gives it another shape than the one that it was allocated with: the message goes
! on in the second column.
! expect: without sink-wait
program assigned_another_shape
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, n
  double precision, allocatable :: u(:, :), v(:, :), sbuf(:)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  n = 20000
  allocate (u(n, 3), v(n / 2, 6), sbuf(n))
  v = -1.0d0
  u = v
  checksum = 0.0d0

  do i = 1, size(sbuf)
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(u(1, 1), n - 100, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n - 100, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do i = 1, 1000
    checksum = checksum + u(i, 2) * dble(mod(i, 7))
  end do
  checksum = checksum + u(5, 1)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program assigned_another_shape
