! A ring of blocking synchronous sends: every other process receives first. The sends are filled tile by tile, the receives are
! posted above the work of their own process, and nothing that others could see changes places with either.
program ring
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, rank, ranks, left, right, step, i
  integer :: status(mpi_status_size)
  double precision :: outgoing(n), incoming(n), field(n), checksum, total
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  if (ranks == 1) then
    left = mpi_proc_null
    right = mpi_proc_null
  end if
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 11)) * 0.25d0
    incoming(i) = 0.0d0
  end do
  do step = 1, 5
    ! gravel: one handshake, a put per tile, was line 31: call mpi_ssend(outgoing, n, mpi_double_precision,...
    gravel_t1 = gravel_transfer_null
    if (mod(rank, 2) == 0 .and. rank /= ranks - 1) call gravel_wait_rcv_buffer_synchronous(outgoing, n, &
         mpi_double_precision, right, 1, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = field(i) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! The last process of an odd number of them receives first, too: no two neighbours wait for each other.
    ! gravel: null where the branch below is not taken
    gravel_s2 = gravel_request_null
    if (mod(rank, 2) == 0 .and. rank /= ranks - 1) then
      ! gravel: sent tile by tile above, was line 31: call mpi_ssend(outgoing, n, mpi_double_precision, rig...
      call gravel_send_fin(gravel_t1, gravel_s1, ierr)
      call gravel_wait(gravel_s1, outgoing)
      ! gravel: posted here, was line 32: call mpi_recv(incoming, n, mpi_double_precision, left, 1, mpi_com...
      call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, left, 1, mpi_comm_world, gravel_r1)
      call gravel_wait(gravel_r1, incoming, status, ierr)
    else
      ! gravel: posted early, was line 37: call mpi_recv(incoming, n, mpi_double_precision, left, 1, mpi_co...
      call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, left, 1, mpi_comm_world, gravel_r2)
      do i = 1, n
        field(i) = field(i) * 0.75d0
      end do
      ! gravel: moved away from here, was line 37: call mpi_recv(incoming, n, mpi_double_precision, left, 1...
      ierr = 0
      ! gravel: sent without waiting, was line 38: call mpi_ssend(outgoing, n, mpi_double_precision, right,...
      call gravel_post_send_synchronous(outgoing, n, mpi_double_precision, right, 1, mpi_comm_world, &
           gravel_s2, ierr)
      do i = 1, n
        field(i) = field(i) + 1.0d0
      end do
      ! gravel: the wait moved here, was line 37: call mpi_recv(incoming, n, mpi_double_precision, left, 1,...
      call gravel_wait(gravel_r2, incoming, status)
    end if
    do i = 1, n
      field(i) = field(i) + incoming(i) * 0.125d0
    end do
    ! gravel: the wait moved here, was line 38: call mpi_ssend(outgoing, n, mpi_double_precision, right, 1,...
    call gravel_wait(gravel_s2, outgoing)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 7))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program ring
