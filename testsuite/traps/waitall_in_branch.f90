! Some processes wait in one branch, some in the other one, and between the posts and the waits one
! of them works on other things.
! expect: handled
program waitall_in_branch
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n), work
  integer :: requests(2)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  work = 1.0d0
  if (mod(rank, 2) == 0) then
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    do i = 1, n
      sbuf(i) = rbuf(i) * 0.5d0
    end do
  else
    do i = 1, n
      work = 1.0d0 + 1.0d0 / work
    end do
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    do i = 1, n
      sbuf(i) = rbuf(i) * 0.25d0 + work
    end do
  end if
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + (sbuf(i) + rbuf(i)) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program waitall_in_branch
