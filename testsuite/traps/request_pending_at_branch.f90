! The wait in a branch is for a receive that is posted above it; where the branch is not taken, a wait further down
! completes it.
! expect: without sink-wait
program request_pending_at_branch
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision :: u(n), sbuf(n), work(n)
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
  call mpi_irecv(u, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  if (mod(rank, 2) == 1) then
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end if
  do i = 1, n
    work(i) = sbuf(i) * dble(mod(i, 7))
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + work(i) + u(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program request_pending_at_branch
