! The loop above the receive has a label, to which control jumps back: a receive that is posted just before it is posted for the
! first of three messages only.
! expect: without hoist-receive
program jump_past_post
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, i, pass, request, status(mpi_status_size)
  double precision :: sent(n), received(n), work(n), checksum
  double precision :: gathered(2, 16)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  received = 0.0d0
  work = 0.0d0
  checksum = 0.0d0
  pass = 0
  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 7))
  end do
  do i = 1, n
    checksum = checksum + 0.5d0 * work(i)
  end do
10 do i = 1, n
    work(i) = work(i) + dble(i)
  end do
  call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sent, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 5)) + work(i)
  end do
  received = 0.0d0
  pass = pass + 1
  if (pass < 3) goto 10
  call mpi_gather([checksum, sum(work)], 2, mpi_double_precision, gathered, 2, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) print '(2es24.16)', gathered(:, 1:ranks)
  call mpi_finalize(ierr)
end program jump_past_post
