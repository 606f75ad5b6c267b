! Reductions of the program's own: MPI calls functions that compute nothing but their arguments, and messages overlap
! all the same.
! ranks: 1 2 3 4
module extremes
  implicit none
  private
  public :: larger_with_place, product_of_pairs

contains

  ! Of two values with their places, the larger one; of equal ones, the first.
  subroutine larger_with_place(new, kept, length, datatype)
    integer, intent(in) :: length, datatype
    double precision, intent(in) :: new(2, length)
    double precision, intent(inout) :: kept(2, length)
    integer :: i

    do i = 1, length
      if (comes_first(new(1, i), new(2, i), kept(1, i), kept(2, i))) kept(:, i) = new(:, i)
    end do
  end subroutine larger_with_place

  logical function comes_first(one, place, other, other_place)
    double precision, intent(in) :: one, place, other, other_place

    comes_first = one > other .or. (one == other .and. place < other_place)
  end function comes_first

  ! Products of numbers a + b*sqrt(2).
  subroutine product_of_pairs(new, total, length, datatype)
    integer, intent(in) :: length, datatype
    integer, intent(in) :: new(length)
    integer, intent(inout) :: total(length)
    integer :: i, first, second

    do i = 1, length, 2
      first = total(i)*new(i) + 2*total(i + 1)*new(i + 1)
      second = total(i)*new(i + 1) + total(i + 1)*new(i)
      total(i) = first
      total(i + 1) = second
    end do
  end subroutine product_of_pairs
end module extremes

program own_reductions
  use mpi
  use extremes
  use gravel
  implicit none
  integer, parameter :: n = 30000, steps = 3
  double precision :: u(0:n + 1), v(n), mine(2), largest(2)
  integer :: rank, ranks, left, right, step, i, ierr, pairs(2), product_of_all(2)
  integer :: place_operation, pair_operation, pair_of_doubles, requests(4)
  integer :: gravel_lo1, gravel_hi1, gravel_part1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = merge(mpi_proc_null, rank - 1, rank == 0)
  right = merge(mpi_proc_null, rank + 1, rank == ranks - 1)
  call mpi_type_contiguous(2, mpi_double_precision, pair_of_doubles, ierr)
  call mpi_type_commit(pair_of_doubles, ierr)
  call mpi_op_create(larger_with_place, .true., place_operation, ierr)
  call mpi_op_create(product_of_pairs, .true., pair_operation, ierr)

  u = 0
  do i = 1, n
    u(i) = mod(i*7 + rank*13, 101)
  end do
  do step = 1, steps
    ! gravel: posted here, was line 69: call mpi_irecv(u(0), 1, mpi_double_precision, left, 1, mpi_comm_wor...
    call gravel_post_rcv_buffer_rdma(u(0), 1, mpi_double_precision, left, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 70: call mpi_irecv(u(n + 1), 1, mpi_double_precision, right, 2, mpi_com...
    call gravel_post_rcv_buffer_rdma(u(n + 1), 1, mpi_double_precision, right, 2, mpi_comm_world, requests(2), &
         ierr)
    ! gravel: sent without waiting, was line 71: call mpi_isend(u(n), 1, mpi_double_precision, right, 1, mp...
    call gravel_post_send(u(n), 1, mpi_double_precision, right, 1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 72: call mpi_isend(u(1), 1, mpi_double_precision, left, 2, mpi...
    call gravel_post_send(u(1), 1, mpi_double_precision, left, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 73: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 65
    gravel_hi1 = n - mod(n - 1, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 73: call mpi_waitall(4, ...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo1 = 1
          gravel_hi1 = min(64, n)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(65, n - mod(n - 1, 64))
          gravel_hi1 = n
       end if
       do i = gravel_lo1, gravel_hi1
         v(i) = 0.25d0*(u(i - 1) + 2*u(i) + u(i + 1))
       end do
    end do
    ! gravel: the wait moved here, was line 73: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), u)
    call gravel_wait(requests(4), u)
    u(1:n) = v
    mine = [maxval(v), dble(rank*n + maxloc(v, 1))]
    call mpi_allreduce(mine, largest, 1, pair_of_doubles, place_operation, mpi_comm_world, ierr)
    pairs = [rank + 1, step]
    call mpi_allreduce(pairs, product_of_all, 2, mpi_integer, pair_operation, mpi_comm_world, ierr)
    if (rank == 0) print '(i2, f12.6, f9.0, 2i8)', step, largest, product_of_all
  end do
  call mpi_op_free(place_operation, ierr)
  call mpi_op_free(pair_operation, ierr)
  call mpi_type_free(pair_of_doubles, ierr)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program own_reductions
