! Persistent sends that a directive leaves with MPI; the messages with another tag do not depend on them.
program persistent_beside_others
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, ierr, left, right, i, step
  integer :: requests(2)
  double precision :: field(n), shift(n), old(n), from_left(n), checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  !$gravel skip
  call mpi_send_init(old, n, mpi_double_precision, right, 1, mpi_comm_world, requests(1), ierr)
  call mpi_recv_init(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, requests(2), ierr)
  checksum = 0.0d0
  do step = 1, 4
    ! gravel: posted early, was line 30: call mpi_sendrecv(field, n, mpi_double_precision, left, 2, shift, ...
    call gravel_post_rcv_segments(shift, n, mpi_double_precision, right, 2, mpi_comm_world, gravel_r1)
    old = field
    call mpi_startall(2, requests, ierr)
    do i = 1, n
      checksum = checksum + field(i) * dble(mod(i, 9))
    end do
    ! gravel: sent without waiting, was line 30: call mpi_sendrecv(field, n, mpi_double_precision, left, 2,...
    call gravel_post_send(field, n, mpi_double_precision, left, 2, mpi_comm_world, gravel_s1, ierr)
    call gravel_wait(gravel_s1, field)
    ! gravel: waits here for what each tile reads, was line 30: call mpi_sendrecv(field, n, mpi_double_prec...
    gravel_step1 = gravel_tile(gravel_r1, n)
    if (gravel_step1 >= n) call gravel_wait(gravel_r1, shift)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(gravel_r1, shift, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         field(i) = 0.5d0 * field(i) + 0.125d0 * shift(i)
       end do
    end do
    if (gravel_step1 < n) call gravel_wait(gravel_r1, shift)
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    do i = 1, n
      field(i) = field(i) - 0.25d0 * from_left(i)
    end do
  end do
  do i = 1, 2
    call mpi_request_free(requests(i), ierr)
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program persistent_beside_others
