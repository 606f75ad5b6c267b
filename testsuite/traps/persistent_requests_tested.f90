! Persistent operations are completed by tests and by waits for some, which leave them inactive, and are started again: an
! inactive one is never told of.
! expect: handled
program persistent_requests_tested
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, k, step, told, number, which
  integer :: requests(4), indices(4), statuses(mpi_status_size, 4), seen(4)
  logical :: flag
  double precision :: sbuf(n), rbuf(n), short(5), halo(5), inner(n)
  common /edges/ short, halo
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  seen = 0
  do i = 1, n
    inner(i) = dble(mod(i, 5))
  end do
  call mpi_recv_init(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_recv_init(halo, 5, mpi_double_precision, prev, 2, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_send_init(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_send_init(short, 5, mpi_double_precision, next, 2, mpi_comm_world, requests(4), ierr) ! trapped

  do step = 1, 6
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    short = dble(step) + dble(rank)
    call mpi_startall(4, requests, ierr) ! trapped
    told = 0
    do while (told < 4)
      select case (mod(step, 3))
      case (0)
        call mpi_waitsome(4, requests, number, indices, statuses, ierr) ! trapped
      case (1)
        call mpi_testsome(4, requests, number, indices, statuses, ierr) ! trapped
      case default
        call mpi_testany(4, requests, which, flag, statuses(:, 1), ierr) ! trapped
        number = 0
        if (flag) number = 1
        indices(1) = which
      end select
      do k = 1, number
        seen(indices(k)) = seen(indices(k)) + 1
        if (indices(k) <= 2) checksum = checksum + dble(statuses(mpi_tag, k)) * dble(step)
      end do
      told = told + number
      do i = 1, 100
        inner(i) = inner(i) + 0.0d0
      end do
    end do
    call mpi_testall(4, requests, flag, mpi_statuses_ignore, ierr) ! trapped
    if (.not. flag) checksum = checksum - 1.0d7
    call mpi_testsome(4, requests, number, indices, mpi_statuses_ignore, ierr) ! trapped
    if (number >= 0) checksum = checksum - 1.0d6
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) + inner(i)
    end do
    checksum = checksum + halo(3)
  end do
  do i = 1, 4
    call mpi_request_free(requests(i), ierr) ! trapped
    checksum = checksum + dble(seen(i)) * 10.0d0**i
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_requests_tested
