! A module's procedure sorts what it has by who gets it: lengths are exchanged first, and buffers are allocated.
module particles
  use mpi_f08
  implicit none
  private
  public :: exchange

contains

  subroutine exchange(mine, owner, n, ranks, total)
    use gravel
    integer, intent(in) :: n, ranks
    double precision, intent(inout) :: mine(n)
    integer, intent(in) :: owner(n)
    double precision, intent(out) :: total
    double precision, allocatable :: outgoing(:), incoming(:)
    integer :: sent(0:ranks-1), received(0:ranks-1), sent_at(0:ranks-1), received_at(0:ranks-1), next(0:ranks-1)
    integer :: i, p
    integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    ! gravel: posted early, was line 23: call mpi_alltoall(sent, 1, mpi_integer, received, 1, mpi_integer, ...
    call gravel_post_alltoall_segments(received, 1, mpi_integer, mpi_comm_world, gravel_r1)
    sent = 0
    do i = 1, n
      sent(owner(i)) = sent(owner(i)) + 1
    end do
    ! gravel: sent without waiting, was line 23: call mpi_alltoall(sent, 1, mpi_integer, received, 1, mpi_i...
    call gravel_send_alltoall(sent, 1, mpi_integer, mpi_comm_world, gravel_s1)
    sent_at(0) = 0
    received_at(0) = 0
    ! gravel: waits here for what each tile reads, was line 23: call mpi_alltoall(sent, 1, mpi_integer, rec...
    gravel_step1 = gravel_tile(gravel_r1, ranks - 1)
    if (gravel_step1 >= ranks - 1) call gravel_wait(gravel_r1, received)
    do gravel_lo1 = 1, ranks - 1, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, (ranks - 1) - gravel_lo1)
       if (gravel_step1 < ranks - 1) call gravel_wait_range(gravel_r1, received, 0, gravel_hi1)
       do p = gravel_lo1, gravel_hi1
         sent_at(p) = sent_at(p-1) + sent(p-1)
         received_at(p) = received_at(p-1) + received(p-1)
       end do
    end do
    if (gravel_step1 < ranks - 1) call gravel_wait(gravel_r1, received)
    allocate (outgoing(n), incoming(sum(received)))
    ! gravel: posted early, was line 36: call mpi_alltoallv(outgoing, sent, sent_at, mpi_double_precision, ...
    call gravel_post_alltoallv(incoming, received, received_at, mpi_double_precision, mpi_comm_world, &
         gravel_r2)
    next = sent_at
    do i = 1, n
      next(owner(i)) = next(owner(i)) + 1
      outgoing(next(owner(i))) = mine(i)
    end do
    ! gravel: sent without waiting, was line 36: call mpi_alltoallv(outgoing, sent, sent_at, mpi_double_pre...
    call gravel_send_alltoallv(outgoing, sent, sent_at, mpi_double_precision, mpi_comm_world, gravel_s2)
    do i = 1, n
      mine(i) = mine(i) * 0.5d0
    end do
    ! gravel: the wait moved here, was line 36: call mpi_alltoallv(outgoing, sent, sent_at, mpi_double_prec...
    call gravel_wait(gravel_r2, incoming)
    total = 0.0d0
    do i = 1, size(incoming)
      total = total + incoming(i)
    end do
    ! gravel: the wait moved here, was line 23: call mpi_alltoall(sent, 1, mpi_integer, received, 1, mpi_in...
    call gravel_wait(gravel_s1, sent)
    ! gravel: the wait moved here, was line 36: call mpi_alltoallv(outgoing, sent, sent_at, mpi_double_prec...
    call gravel_wait(gravel_s2, outgoing)
  end subroutine exchange

end module particles

program alltoallv_f08
  use mpi_f08
  use particles
  use gravel
  implicit none

  integer, parameter :: n = 30000
  integer :: rank, ranks, i, step
  integer :: owner(n)
  double precision :: mine(n), total, totals(4)

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  do i = 1, n
    mine(i) = dble(mod(i, 101) + rank)
  end do
  do step = 1, 3
    do i = 1, n
      owner(i) = mod(i*i/7 + rank*step, ranks)
    end do
    call exchange(mine, owner, n, ranks, total)
    call mpi_gather(total, 1, mpi_double_precision, totals, 1, mpi_double_precision, 0, mpi_comm_world)
    if (rank == 0) print '(i0,4es24.16)', step, totals(1:ranks)
  end do
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program alltoallv_f08
