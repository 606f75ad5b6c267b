! Requests of the main program, which a procedure inside it posts and waits for; one is posted by the main program, too.
program host_requests
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, step, i, requests(2), single
  double precision :: sbuf(n), rbuf(n), work(n), last(n), back(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: posted here, was line 25: call mpi_irecv(back, n, mpi_double_precision, next, 2, mpi_comm_world...
  call gravel_post_rcv_buffer_rdma(back, n, mpi_double_precision, next, 2, mpi_comm_world, single, ierr)
  ! gravel: one handshake, a put per tile, was line 29: call mpi_send(last, n, mpi_double_precision, prev, ...
  call gravel_wait_rcv_buffer(last, n, mpi_double_precision, prev, 2, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       last(i) = work(i) * dble(mod(i, 3))
     end do
     call gravel_post_os_put(gravel_t1, last, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 29: call mpi_send(last, n, mpi_double_precision, prev, 2, mpi...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  call gravel_wait(gravel_s1, last)
  ! gravel: waits here, was line 30: call mpi_wait(single, mpi_status_ignore, ierr)
  call gravel_wait(single, back, ierr)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  subroutine fill
    integer :: k

    do k = 1, n
      sbuf(k) = dble(rank + step) * dble(mod(k, 9))
    end do
  end subroutine fill

  subroutine exchange
    use gravel
    integer :: k

    single = mpi_request_null
    ! gravel: posted here, was line 58: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_wor...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: sent without waiting, was line 59: call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi...
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
    do k = 1, n
      work(k) = dble(mod(k, 11)) * 0.5d0 + step
    end do
    ! gravel: waits here, was line 63: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(2, requests, ierr)
    call gravel_f_sync_reg(rbuf)
    call gravel_f_sync_reg(sbuf)
  end subroutine exchange

end program host_requests
