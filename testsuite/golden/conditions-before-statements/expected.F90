! Between the declarations and the first statement stand conditions, which leave out what would be a statement: what is
! declared goes in front of them.
#define PRINTS 0
#undef CHECKS
module conditions_before_statements
  use mpi
  implicit none
  integer, parameter :: n = 6000
  double precision :: outgoing(n), incoming(n)

contains

  subroutine exchange(next, prev, scale)
    use gravel
    integer, intent(in) :: next, prev
    double precision, intent(in) :: scale
    integer :: i, ierr
    integer :: status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_r1, gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_hi1, gravel_step1

#ifdef CHECKS
    if (next == prev) print *, 'only two processes'
#endif

    ! gravel: posted early, was line 26: call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 3, inco...
    call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 3, mpi_comm_world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 26: call mpi_sendrecv(outgoing, n, mpi_double_precisi...
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 3, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = scale * dble(mod(i, 13))
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 26: call mpi_sendrecv(outgoing, n, mpi_double_precision, ne...
    call gravel_send_fin(gravel_t1, gravel_s1)
    call gravel_wait(gravel_r1, incoming, status, ierr)
    call gravel_wait(gravel_s1, outgoing)
  end subroutine exchange
end module conditions_before_statements

program main
  use gravel
  use mpi
  use conditions_before_statements
  implicit none
  integer :: ierr, rank, ranks, step
  double precision :: total, sums(64)

#if PRINTS
  print *, 'it begins'
#else
  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
#endif
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  total = 0.0d0
  do step = 1, 3
    call exchange(mod(rank + 1, ranks), mod(rank - 1 + ranks, ranks), dble(rank + step))
    total = total + sum(incoming)
  end do
  call mpi_gather(total, 1, mpi_double_precision, sums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(es24.16)') sums(1:ranks)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program main
