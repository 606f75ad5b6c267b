! A test for all that finds one request open leaves every other as it was: each is told of afterwards.
! expect: handled
program testall_leaves_all
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n, 2)
  integer :: requests(4), done(4), number, k, told, order
  integer :: statuses(mpi_status_size, 4)
  logical :: are_over
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
  call mpi_irecv(rbuf(1, 1), n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_irecv(rbuf(1, 2), n, mpi_double_precision, prev, 2, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_isend(sbuf, 500, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr) ! trapped
  requests(4) = mpi_request_null
  do k = 1, 100
    call mpi_testall(3, requests, are_over, statuses, ierr) ! trapped
    if (are_over) checksum = checksum - 1.0d6
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, requests(4), ierr) ! trapped
  told = 0
  order = 0
  do while (told < 4)
    call mpi_waitsome(4, requests, number, done, statuses, ierr) ! trapped
    do k = 1, number
      if (done(k) < 1 .or. done(k) > 4) checksum = checksum - 1.0d7
      order = order + 10**done(k)
      if (done(k) <= 2) then
        call mpi_get_count(statuses(:, k), mpi_double_precision, i, ierr)
        checksum = checksum + dble(i * done(k)) + dble(statuses(mpi_tag, k))
        if (statuses(mpi_source, k) /= prev) checksum = checksum - 1.0d5
      end if
    end do
    told = told + number
  end do
  are_over = .false.
  call mpi_testall(4, requests, are_over, statuses, ierr) ! trapped
  if (.not. are_over) checksum = checksum - 1.0d8
  checksum = checksum + dble(order)
  do i = 1, 500
    checksum = checksum + rbuf(i, 1) * dble(mod(i, 7))
  end do
  do i = 1, n
    checksum = checksum + rbuf(i, 2) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program testall_leaves_all
