! Two receives could take the same messages and both could be posted above the work: in their own
! order, and the second one not further up than the first one.
! expect: handled
program same_tag_posts_in_order
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: sbuf(n), rbuf(n), rbuf2(n), work
  integer :: requests(4)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  sbuf = dble(rank + 1)
  rbuf = 0.0d0
  rbuf2 = 1.0d0
  work = 0.0d0
  do step = 1, 3
    do i = 1, n
      work = work + rbuf(i) * 0.5d0
    end do
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9)) + work * 1.0d-9
    end do
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_irecv(rbuf2, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr) ! trapped
    call mpi_isend(sbuf(n / 2), n / 2, mpi_double_precision, next, 1, mpi_comm_world, requests(4), ierr) ! trapped
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
  end do
  checksum = work
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) - rbuf2(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program same_tag_posts_in_order
