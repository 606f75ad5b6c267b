! In a branch a test may complete what the wait at its end waits for; where the branch is not taken, there is nothing. The wait
! may leave the branch, or not: the same is printed.
! expect: handled
program test_in_branch
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n), inner(n)
  integer :: request, send, step
  logical :: has_come
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
    inner(i) = dble(mod(i, 11))
  end do
  do step = 1, 4
    if (mod(step, 2) == 0) then
      call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
      call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send, ierr) ! trapped
      call mpi_test(request, has_come, mpi_status_ignore, ierr) ! trapped
      if (has_come) then
        checksum = checksum + rbuf(1) - rbuf(1)
      end if
      call mpi_wait(send, mpi_status_ignore, ierr) ! trapped
      call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    end if
    do i = 1, n
      inner(i) = inner(i) * 0.5d0 + 1.0d0
    end do
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) + inner(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program test_in_branch
