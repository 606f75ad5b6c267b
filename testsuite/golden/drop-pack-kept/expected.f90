! Copies that stay, each for another reason: the buffer is looked at, what is copied lies apart or is not all of the message,
! the array is written too soon, the loop's variable is used.
program drop_pack_kept
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 3000, m = 8
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  double precision :: field(n, m), other(n, m), rows(m, n), ghost(n)
  double precision :: seen(n), row(n), part(n), early(n), soon(n), counted(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1, gravel_s2, gravel_s3, gravel_s4, gravel_s5, gravel_s6, &
       gravel_request_2, gravel_request_3, gravel_request_4, gravel_request_5, gravel_request_6
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2, gravel_t4, gravel_t5, gravel_t6
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_lo5, gravel_hi1, gravel_hi2, gravel_hi3, &
       gravel_hi4, gravel_hi5, gravel_step1, gravel_step2, gravel_step3, gravel_step4, gravel_step5

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 1, m
    do i = 1, n
      field(i, j) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0 + dble(j)
      rows(j, i) = field(i, j)
    end do
  end do
  checksum = 0.0d0

  do step = 1, 3
    ! gravel: posted here, was line 29: call mpi_irecv(ghost, n, mpi_double_precision, prev, 1, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(ghost, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    ! gravel: one handshake, a put per tile, was line 33: call mpi_send(seen, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(seen, n, mpi_double_precision, next, 1, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         seen(i) = field(i, m)
       end do
       call gravel_post_os_put(gravel_t1, seen, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 33: call mpi_send(seen, n, mpi_double_precision, next, 1, m...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    call work
    ! gravel: waits here, was line 35: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, ghost, ierr)
    checksum = checksum + ghost(5) + seen(7)

    ! gravel: posted here, was line 38: call mpi_irecv(ghost, n, mpi_double_precision, prev, 2, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(ghost, n, mpi_double_precision, prev, 2, mpi_comm_world, &
         gravel_request_2, ierr)
    ! gravel: one handshake, a put per tile, was line 42: call mpi_send(row, n, mpi_double_precision, next,...
    call gravel_wait_rcv_buffer(row, n, mpi_double_precision, next, 2, mpi_comm_world, gravel_t2)
    gravel_step2 = gravel_tile(gravel_t2, n)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       do i = gravel_lo2, gravel_hi2
         row(i) = rows(2, i)
       end do
       call gravel_post_os_put(gravel_t2, row, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
    end do
    ! gravel: sent tile by tile above, was line 42: call mpi_send(row, n, mpi_double_precision, next, 2, mp...
    call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    call work
    ! gravel: waits here, was line 44: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(gravel_request_2, ghost, ierr)
    checksum = checksum + ghost(6)

    ! gravel: posted here, was line 47: call mpi_irecv(ghost, n, mpi_double_precision, prev, 3, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(ghost, n, mpi_double_precision, prev, 3, mpi_comm_world, &
         gravel_request_3, ierr)
    do i = 1, n - 1
      part(i) = field(i, m)
    end do
    part(n) = 0.0d0
    ! gravel: sent without waiting, was line 52: call mpi_send(part(1), n, mpi_double_precision, next, 3, m...
    call gravel_post_send(part(1), n, mpi_double_precision, next, 3, mpi_comm_world, gravel_s3, ierr)
    call work
    ! gravel: waits here, was line 54: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(gravel_request_3, ghost, ierr)
    checksum = checksum + ghost(7)

    ! gravel: posted here, was line 57: call mpi_irecv(ghost, n, mpi_double_precision, prev, 4, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(ghost, n, mpi_double_precision, prev, 4, mpi_comm_world, &
         gravel_request_4, ierr)
    ! gravel: one handshake, a put per tile, was line 64: call mpi_send(early, n, mpi_double_precision, nex...
    call gravel_wait_rcv_buffer(early, n, mpi_double_precision, next, 4, mpi_comm_world, gravel_t4)
    gravel_step3 = gravel_tile(gravel_t4, n)
    do gravel_lo3 = 1, n, gravel_step3
       gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
       do i = gravel_lo3, gravel_hi3
         early(i) = field(i, m)
       end do
       call gravel_post_os_put(gravel_t4, early, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
    end do
    do i = 1, n
      field(i, m) = field(i, m) * 0.5d0
    end do
    ! gravel: sent tile by tile above, was line 64: call mpi_send(early, n, mpi_double_precision, next, 4, ...
    call gravel_send_fin(gravel_t4, gravel_s4, ierr)
    call work
    ! gravel: waits here, was line 66: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(gravel_request_4, ghost, ierr)
    checksum = checksum + ghost(8)

    ! gravel: posted here, was line 69: call mpi_irecv(ghost, n, mpi_double_precision, prev, 5, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(ghost, n, mpi_double_precision, prev, 5, mpi_comm_world, &
         gravel_request_5, ierr)
    ! gravel: one handshake, a put per tile, was line 73: call mpi_send(soon, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(soon, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t5)
    gravel_step4 = gravel_tile(gravel_t5, n)
    do gravel_lo4 = 1, n, gravel_step4
       gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, n - gravel_lo4)
       do i = gravel_lo4, gravel_hi4
         soon(i) = field(i, m)
       end do
       call gravel_post_os_put(gravel_t5, soon, gravel_lo4 - 1, gravel_hi4 - gravel_lo4 + 1)
    end do
    ! gravel: sent tile by tile above, was line 73: call mpi_send(soon, n, mpi_double_precision, next, 5, m...
    call gravel_send_fin(gravel_t5, gravel_s5, ierr)
    do j = 1, m
      do i = 1, n
        field(i, j) = field(i, j) * 0.75d0 + 1.0d0
      end do
    end do
    ! gravel: waits here, was line 79: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(gravel_request_5, ghost, ierr)
    checksum = checksum + ghost(9)

    ! gravel: posted here, was line 82: call mpi_irecv(ghost, n, mpi_double_precision, prev, 6, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(ghost, n, mpi_double_precision, prev, 6, mpi_comm_world, &
         gravel_request_6, ierr)
    ! gravel: one handshake, a put per tile, was line 86: call mpi_send(counted, n, mpi_double_precision, n...
    call gravel_wait_rcv_buffer(counted, n, mpi_double_precision, next, 6, mpi_comm_world, gravel_t6)
    k = 1
    gravel_step5 = gravel_tile(gravel_t6, n)
    do gravel_lo5 = 1, n, gravel_step5
       gravel_hi5 = gravel_lo5 + min(gravel_step5 - 1, n - gravel_lo5)
       do k = gravel_lo5, gravel_hi5
         counted(k) = field(k, m)
       end do
       call gravel_post_os_put(gravel_t6, counted, gravel_lo5 - 1, gravel_hi5 - gravel_lo5 + 1)
    end do
    ! gravel: sent tile by tile above, was line 86: call mpi_send(counted, n, mpi_double_precision, next, 6...
    call gravel_send_fin(gravel_t6, gravel_s6, ierr)
    call work
    ! gravel: waits here, was line 88: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(gravel_request_6, ghost, ierr)
    ! gravel: the wait moved here, was line 33: call mpi_send(seen, n, mpi_double_precision, next, 1, mpi_c...
    call gravel_wait(gravel_s1, seen)
    ! gravel: the wait moved here, was line 42: call mpi_send(row, n, mpi_double_precision, next, 2, mpi_co...
    call gravel_wait(gravel_s2, row)
    ! gravel: the wait moved here, was line 52: call mpi_send(part(1), n, mpi_double_precision, next, 3, mp...
    call gravel_wait(gravel_s3, part)
    ! gravel: the wait moved here, was line 64: call mpi_send(early, n, mpi_double_precision, next, 4, mpi_...
    call gravel_wait(gravel_s4, early)
    ! gravel: the wait moved here, was line 73: call mpi_send(soon, n, mpi_double_precision, next, 5, mpi_c...
    call gravel_wait(gravel_s5, soon)
    ! gravel: the wait moved here, was line 86: call mpi_send(counted, n, mpi_double_precision, next, 6, mp...
    call gravel_wait(gravel_s6, counted)
    checksum = checksum + ghost(10) + dble(k)
  end do
  checksum = checksum + other(3, 4)

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

  subroutine work
    integer :: a, b

    do b = 1, m
      do a = 1, n
        other(a, b) = field(a, b) * 0.5d0
      end do
    end do
  end subroutine work
end program drop_pack_kept
