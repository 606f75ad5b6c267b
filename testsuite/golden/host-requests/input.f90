! Requests of the main program, which a procedure inside it posts and waits for; one is posted by the main program, too.
program host_requests
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, step, i, requests(2), single
  double precision :: sbuf(n), rbuf(n), work(n), last(n), back(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do step = 1, 3
    call fill
    call exchange
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) + work(i)
    end do
  end do
  call mpi_irecv(back, n, mpi_double_precision, next, 2, mpi_comm_world, single, ierr)
  do i = 1, n
    last(i) = work(i) * dble(mod(i, 3))
  end do
  call mpi_send(last, n, mpi_double_precision, prev, 2, mpi_comm_world, ierr)
  call mpi_wait(single, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + back(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine fill
    integer :: k

    do k = 1, n
      sbuf(k) = dble(rank + step) * dble(mod(k, 9))
    end do
  end subroutine fill

  subroutine exchange
    integer :: k

    single = mpi_request_null
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
    do k = 1, n
      work(k) = dble(mod(k, 11)) * 0.5d0 + step
    end do
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  end subroutine exchange

end program host_requests
