! A subscript of the buffer gets another value between the post and its wait: behind it, the same subscript means other
! elements.
! expect: without sink-wait
program subscript_changed_before_wait
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, k
  double precision :: u(n, 3), sbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  u = -1.0d0
  checksum = 0.0d0

  do i = 1, size(sbuf)
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  k = command_argument_count() + 1
  call mpi_irecv(u(1, k), n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  k = k + 1
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do i = 1, 1000
    checksum = checksum + u(i, k - 1) * dble(mod(i, 7))
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
end program subscript_changed_before_wait
