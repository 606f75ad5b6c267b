! What has come is seen in the statuses that the wait for all of them fills.
program waitall_statuses
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: requests(4), statuses(mpi_status_size, 4), number, total
  double precision :: to_next(n), from_next(n), from_prev(n), field(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_transfer_kind) :: gravel_t2
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  total = 0
  do step = 1, 3
    ! gravel: posted here, was line 24: call mpi_irecv(from_prev, n, mpi_double_precision, prev, 1, mpi_com...
    call gravel_post_rcv_buffer_rdma(from_prev, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 25: call mpi_irecv(from_next, n, mpi_double_precision, next, 2, mpi_com...
    call gravel_post_rcv_buffer_rdma(from_next, n, mpi_double_precision, next, 2, mpi_comm_world, requests(2), &
         ierr)
    ! gravel: one handshake, a put per tile, was line 30: call mpi_isend(to_next, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(to_next, n, mpi_double_precision, prev, 2, mpi_comm_world, gravel_t2)
    gravel_step1 = gravel_tile(gravel_t2, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         to_next(i) = field(i) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t2, to_next, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent without waiting, was line 29: call mpi_isend(to_next, n - 10 * rank, mpi_double_precisio...
    call gravel_post_send(to_next, n - 10 * rank, mpi_double_precision, next, 1, mpi_comm_world, requests(3), &
         ierr)
    ! gravel: sent tile by tile above, was line 30: call mpi_isend(to_next, n, mpi_double_precision, prev, ...
    call gravel_send_fin(gravel_t2, requests(4), ierr)
    ! gravel: waits here, was line 31: call mpi_waitall(4, requests, statuses, ierr)
    call gravel_waitall(4, requests, statuses, ierr)
    call gravel_f_sync_reg(from_prev)
    call gravel_f_sync_reg(from_next)
    call gravel_f_sync_reg(to_next)
    call mpi_get_count(statuses(:, 1), mpi_double_precision, number, ierr)
    total = total + number + statuses(mpi_source, 2) + 10 * statuses(mpi_tag, 1)
    do i = 1, number
      field(i) = field(i) * 0.125d0 + from_prev(i) + from_next(i)
    end do
  end do
  checksum = dble(total)
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
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
end program waitall_statuses
