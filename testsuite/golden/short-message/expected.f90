! The receiver makes room for more than the sender sends, asks how much has come, and uses only that.
program short_message
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: length, received, total
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
  total = 0
  do i = 1, n
    rbuf(i) = -dble(i)
  end do
  do step = 1, 4
    length = n / step - rank
    ! gravel: posted here, was line 27: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 11, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 11, mpi_comm_world, request, ierr)
    ! gravel: one handshake, a put per tile, was line 31: call mpi_send(sbuf, length, mpi_double_precision,...
    call gravel_wait_rcv_buffer(sbuf, length, mpi_double_precision, next, 11, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, length)
    do gravel_lo1 = 1, length, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, length - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = dble(rank + step) + dble(mod(i, 21)) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 31: call mpi_send(sbuf, length, mpi_double_precision, next,...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here, was line 32: call mpi_wait(request, status, ierr)
    call gravel_wait(request, rbuf, status, ierr)
    call mpi_get_count(status, mpi_double_precision, received, ierr)
    total = total + received
    do i = 1, received
      checksum = checksum + rbuf(i) * dble(mod(i, 16))
    end do
    ! gravel: the wait moved here, was line 31: call mpi_send(sbuf, length, mpi_double_precision, next, 11,...
    call gravel_wait(gravel_s1, sbuf)
  end do
  do i = 1, n
    checksum = checksum + rbuf(i)
  end do
  checksum = checksum + dble(total)

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
end program short_message
