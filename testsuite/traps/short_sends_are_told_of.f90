! Short sends are over at once, and to nobody even sooner: a wait for any still tells of each of them, once, and so does one
! for some.
! expect: handled
program short_sends_are_told_of
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n)
  integer :: requests(4), which, k, seen(4), done(4), number
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  seen = 0
  call mpi_irecv(rbuf, 10, mpi_double_precision, prev, 1, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_isend(sbuf, 1, mpi_double_precision, mpi_proc_null, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(sbuf, 10, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_irecv(rbuf(11), 5, mpi_double_precision, mpi_proc_null, 1, mpi_comm_world, requests(4), ierr) ! trapped
  do k = 1, 4
    call mpi_waitany(4, requests, which, mpi_status_ignore, ierr) ! trapped
    seen(which) = seen(which) + 1
    do i = 11, n
      sbuf(i) = sbuf(i) + 1.0d0
    end do
  end do
  call mpi_isend(sbuf, 3, mpi_double_precision, mpi_proc_null, 1, mpi_comm_world, requests(1), ierr) ! trapped
  number = 0
  do while (number < 1)
    call mpi_testsome(4, requests, number, done, mpi_statuses_ignore, ierr) ! trapped
  end do
  checksum = dble(number * 10 + done(1))
  do k = 1, 4
    checksum = checksum + dble(seen(k)) * 10.0d0**(k + 4)
  end do
  do i = 1, 10
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  do i = 11, n
    checksum = checksum + sbuf(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program short_sends_are_told_of
