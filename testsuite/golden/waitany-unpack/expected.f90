! A halo is exchanged with both neighbours in two fields at once, and each message unpacked as soon as it has come:
! whichever that is. What is counted at the end must be four receives and four sends, each once.
program waitany_unpack
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, left, right, i, k, step, which, length
  integer :: requests(8), status(mpi_status_size), seen(8)
  double precision :: out(n, 4), in(n, 4), field(n), halo(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_transfer_kind) :: gravel_t2
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 13)) * 0.25d0
  end do
  seen = 0
  length = 0
  checksum = 0.0d0

  do step = 1, 3
    ! gravel: posted early, was line 39: call mpi_irecv(in(1, 1), n, mpi_double_precision, left, 1, mpi_com...
    call gravel_post_rcv_buffer_rdma(in(1, 1), n, mpi_double_precision, left, 1, mpi_comm_world, requests(1))
    ! gravel: posted early, was line 40: call mpi_irecv(in(1, 2), n, mpi_double_precision, right, 2, mpi_co...
    call gravel_post_rcv_buffer_rdma(in(1, 2), n, mpi_double_precision, right, 2, mpi_comm_world, requests(2))
    ! gravel: posted early, was line 41: call mpi_irecv(in(1, 3), n, mpi_double_precision, left, 3, mpi_com...
    call gravel_post_rcv_buffer_rdma(in(1, 3), n, mpi_double_precision, left, 3, mpi_comm_world, requests(3))
    ! gravel: posted early, was line 42: call mpi_irecv(in(1, 4), n, mpi_double_precision, right, 4, mpi_co...
    call gravel_post_rcv_buffer_rdma(in(1, 4), n, mpi_double_precision, right, 4, mpi_comm_world, requests(4))
    do i = 1, n
      out(i, 1) = field(i) * 0.5d0
    end do
    ! gravel: one handshake, a put per tile, was line 44: call mpi_isend(out(1, 2), n, mpi_double_precision...
    call gravel_wait_rcv_buffer(out(1, 2), n, mpi_double_precision, left, 2, mpi_comm_world, gravel_t2)
    i = 1
    gravel_step1 = gravel_tile(gravel_t2, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         out(i, 2) = field(i) - 1.0d0
       end do
       call gravel_post_os_put(gravel_t2, out(1, 2), gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    do i = 1, n
      out(i, 3) = field(i) + 2.0d0
    end do
    do i = 1, n
      out(i, 4) = -field(i)
    end do
    ! gravel: moved away from here, was line 39: call mpi_irecv(in(1, 1), n, mpi_double_precision, left, 1,...
    ierr = 0
    ! gravel: moved away from here, was line 40: call mpi_irecv(in(1, 2), n, mpi_double_precision, right, 2...
    ierr = 0
    ! gravel: moved away from here, was line 41: call mpi_irecv(in(1, 3), n, mpi_double_precision, left, 3,...
    ierr = 0
    ! gravel: moved away from here, was line 42: call mpi_irecv(in(1, 4), n, mpi_double_precision, right, 4...
    ierr = 0
    ! gravel: sent without waiting, was line 43: call mpi_isend(out(1, 1), n - step, mpi_double_precision, ...
    call gravel_post_send(out(1, 1), n - step, mpi_double_precision, right, 1, mpi_comm_world, requests(5), &
         ierr)
    ! gravel: sent tile by tile above, was line 44: call mpi_isend(out(1, 2), n, mpi_double_precision, left...
    call gravel_send_fin(gravel_t2, requests(6), ierr)
    ! gravel: sent without waiting, was line 45: call mpi_isend(out(1, 3), 100, mpi_double_precision, right...
    call gravel_post_send(out(1, 3), 100, mpi_double_precision, right, 3, mpi_comm_world, requests(7), ierr)
    ! gravel: sent without waiting, was line 46: call mpi_isend(out(1, 4), 1, mpi_double_precision, left, 4...
    call gravel_post_send(out(1, 4), 1, mpi_double_precision, left, 4, mpi_comm_world, requests(8), ierr)

    do k = 1, 8
      ! gravel: waits here, was line 49: call mpi_waitany(8, requests, which, status, ierr)
      call gravel_waitany(8, requests, which, status, ierr)
      call gravel_f_sync_reg(in)
      call gravel_f_sync_reg(out)
      seen(which) = seen(which) + 1
      if (which <= 4) then
        call mpi_get_count(status, mpi_double_precision, i, ierr)
        length = length + i * which
        call unpack(in(:, which), halo, i, which)
        checksum = checksum + halo(1) * dble(which)
      end if
    end do
    ! gravel: waits here, was line 58: call mpi_waitany(8, requests, which, status, ierr)
    call gravel_waitany(8, requests, which, status, ierr)
    call gravel_f_sync_reg(in)
    call gravel_f_sync_reg(out)
    if (which > 0) checksum = -1.0d0
    do i = 1, n
      field(i) = 0.5d0 * field(i) + 0.125d0 * (in(i, 1) - in(i, 2))
    end do
  end do

  do i = 1, 8
    if (seen(i) /= 3) checksum = checksum + 1.0d6
  end do
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 11))
  end do
  checksum = checksum + dble(length)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  subroutine unpack(message, values, length, number)
    double precision, intent(in) :: message(n)
    double precision, intent(out) :: values(n)
    integer, intent(in) :: length, number
    integer :: k

    values = 0.0d0
    do k = 1, length
      values(k) = message(k) * 2.0d0 + dble(number)
    end do
  end subroutine unpack
end program waitany_unpack
