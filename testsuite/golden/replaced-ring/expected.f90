! What goes round a ring is sent and received in one buffer: a copy of it is sent, the receive is posted behind that, and
! its wait goes down to where the buffer is needed, or into the loop that reads it. A block of a matrix goes round, too.
program replaced_ring
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000, m = 40
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, k, step
  integer :: status(mpi_status_size), number
  double precision :: ring(n), field(n), block(m, m), own(m, m), product(m, m)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    ring(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    field(i) = 0.0d0
  end do
  do j = 1, m
    do i = 1, m
      block(i, j) = dble(rank + i) + dble(mod(j, 5)) * 0.5d0
      own(i, j) = dble(mod(i * j, 7)) * 0.125d0
    end do
  end do
  product = 0.0d0
  do step = 1, ranks
    ! gravel: sends a copy and receives here, was line 32: call mpi_sendrecv_replace(ring, n, mpi_double_pr...
    call gravel_post_send_copied(ring, n, mpi_double_precision, next, 3, mpi_comm_world, gravel_s1, ierr)
    call gravel_post_rcv_segments(ring, n, mpi_double_precision, prev, 3, mpi_comm_world, gravel_r1)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + dble(mod(i + step, 3))
    end do
    ! gravel: waits here for what each tile reads, was line 32: call mpi_sendrecv_replace(ring, n, mpi_doub...
    gravel_step1 = gravel_tile(gravel_r1, n)
    if (gravel_step1 >= n) call gravel_wait(gravel_r1, ring)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(gravel_r1, ring, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         field(i) = field(i) + ring(i)
       end do
    end do
    if (gravel_step1 < n) call gravel_wait(gravel_r1, ring)
    ! gravel: the wait moved here, was line 32: call mpi_sendrecv_replace(ring, n, mpi_double_precision, ne...
    call gravel_wait(gravel_s1, ring)
    do j = 1, m
      do k = 1, m
        do i = 1, m
          product(i, j) = product(i, j) + own(i, k) * block(k, j)
        end do
      end do
    end do
    if (step < ranks) then
      ! gravel: sends a copy and receives here, was line 48: call mpi_sendrecv_replace(block, m * m, mpi_do...
      call gravel_post_send_copied(block, m * m, mpi_double_precision, prev, 4, mpi_comm_world, gravel_s2, &
           ierr)
      call gravel_post_rcv_buffer_rdma(block, m * m, mpi_double_precision, next, 4, mpi_comm_world, gravel_r2)
      do i = 1, n
        field(i) = field(i) * 0.875d0
      end do
      ! gravel: the wait moved here, was line 48: call mpi_sendrecv_replace(block, m * m, mpi_double_precis...
      call gravel_wait(gravel_r2, block, status)
      call gravel_wait(gravel_s2, block)
      call mpi_get_count(status, mpi_double_precision, number, ierr)
      if (number /= m * m .or. status(mpi_source) /= next) stop 1
    end if
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do
  do j = 1, m
    do i = 1, m
      checksum = checksum + product(i, j) * dble(mod(i + j, 3))
    end do
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
end program replaced_ring
