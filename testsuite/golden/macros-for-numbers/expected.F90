! Macros of the preprocessor stand for numbers. Their names stay in the text.
! ranks: 2 3 4
#define LENGTH 20000
#define TAG_OF_HALO 7
#define BACK (-1)
#define WEIGHT 0.25d0
module steps
  implicit none
  double precision, save :: field(LENGTH)
contains
  subroutine relax(values, steps)
    double precision, intent(inout) :: values(LENGTH)
    integer, intent(in) :: steps
    integer :: i, step
    do step = 1, steps
      do i = 1, LENGTH
        values(i) = WEIGHT * values(i) + sqrt(dble(i))
      end do
    end do
  end subroutine relax
end module steps

program macros_for_numbers
  use gravel
  use mpi
  use steps, only: field, relax
  implicit none
  integer :: ierr, rank, processes, i, step, requests(2)
  double precision :: sent(LENGTH), received(LENGTH), sums(2)
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  field = rank
  do step = 1, 3
    ! gravel: posted early, was line 38: call mpi_irecv(received, LENGTH, mpi_double_precision, mod(rank + ...
    call gravel_post_rcv_buffer_rdma(received, LENGTH, mpi_double_precision, mod(rank + processes + BACK, &
         processes), TAG_OF_HALO, mpi_comm_world, requests(1))
    ! gravel: one handshake, a put per tile, was line 40: call mpi_isend(sent, LENGTH, mpi_double_precision...
    call gravel_wait_rcv_buffer(sent, LENGTH, mpi_double_precision, mod(rank + 1, processes), TAG_OF_HALO, &
         mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, LENGTH)
    do gravel_lo1 = 1, LENGTH, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, LENGTH - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sent(i) = field(i) + dble(mod(i, 9)) * BACK
       end do
       call gravel_post_os_put(gravel_t1, sent, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: moved away from here, was line 38: call mpi_irecv(received, LENGTH, mpi_double_precision, mod...
    ierr = 0
    ! gravel: sent tile by tile above, was line 40: call mpi_isend(sent, LENGTH, mpi_double_precision, mod(...
    call gravel_send_fin(gravel_t1, requests(2), ierr)
    ! gravel: moved away from here, was line 42: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    call relax(field, 2)
    ! gravel: the wait moved here, was line 42: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(1), received)
    sums = [sum(received) * (rank + 1), sum(field)]
    ! gravel: the wait moved here, was line 42: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(2), sent)
    call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
    if (rank == 0) print '(i0, 2(1x, f16.3))', step, sums
  end do
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program macros_for_numbers
