! The columns of the array of statuses are longer than a status: MPI stores one status behind the other all the same.
! expect: handled
program waitall_statuses_in_longer_columns
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, source
  double precision :: sbuf(n), rbuf(n), rbuf2(n), work(n)
  integer :: requests(2), statuses(mpi_status_size + 3, 2)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  statuses = -7

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 5, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_irecv(rbuf2, n, mpi_double_precision, prev, 6, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 5, mpi_comm_world, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 6, mpi_comm_world, ierr) ! trapped
  call mpi_waitall(2, requests, statuses, ierr) ! trapped
  do i = 1, n
    work(i) = dble(i) * 0.5d0
  end do
  do i = 1, n
    work(i) = work(i) + dble(i) * 0.25d0
  end do
  ! The second status begins at element mpi_status_size + 1 of the whole; MPI has the rest for itself.
  source = statuses(mpi_source, 1) + 100 * statuses(mpi_tag, 1)
  i = mpi_status_size + mpi_tag
  source = source + 1000 * statuses(mod(i - 1, mpi_status_size + 3) + 1, (i - 1) / (mpi_status_size + 3) + 1)
  checksum = dble(source)
  do i = 1, n
    checksum = checksum + (sbuf(i) + rbuf(i) + rbuf2(i) + work(i)) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program waitall_statuses_in_longer_columns
