! The columns beside a field are received, and its outermost ones sent, by two calls with one process each way. That the columns
! 0 and ny + 1 are two, the calls tell themselves: the messages that share a neighbour name ny, of columns that begin with 0.
program ghost_columns
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer, parameter :: length = 20000
  integer :: ierr, rank, ranks, left, right, i, j, step
  double precision :: old(0:length + 1, 0:6), new(0:length + 1, 0:6)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_w1_by_sections, gravel_w2_by_sections, gravel_w3_by_sections, &
       gravel_w4_by_sections
  integer :: gravel_lo1, gravel_hi1, gravel_part1
  common /gravel_1w_by_sections/ gravel_w1_by_sections
  common /gravel_2w_by_sections/ gravel_w2_by_sections
  common /gravel_3w_by_sections/ gravel_w3_by_sections
  common /gravel_4w_by_sections/ gravel_w4_by_sections

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = rank - 1
  if (left < 0) left = mpi_proc_null
  right = rank + 1
  if (right == ranks) right = mpi_proc_null

  do j = 0, 6
    do i = 0, length + 1
      old(i, j) = dble(rank + 1) + dble(mod(i + j, 41)) * 0.25d0
      new(i, j) = 0.5d0 * old(i, j)
    end do
  end do
  do step = 1, 3
    call by_sections(old, length, 5)
    call by_elements(new, length, 5)
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = 5 - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, for what line 28 has begun: call b...
          call gravel_wait(gravel_w1_by_sections, old)
          call gravel_wait(gravel_w3_by_sections, old)
          gravel_lo1 = 1
          gravel_hi1 = min(1, 5)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, 5)
          gravel_hi1 = 5
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, length
           new(i, j) = 0.5d0 * new(i, j) + 0.125d0 * (old(i, j - 1) + old(i, j + 1) + new(i, 0) + new(i, 6))
         end do
       end do
    end do
    ! gravel: waits here for what line 28 has begun: call by_sections(old, length, 5)
    call gravel_wait(gravel_w2_by_sections, old)
    call gravel_wait(gravel_w4_by_sections, old)
    do j = 1, 5
      do i = 1, length
        old(i, j) = new(i, j)
      end do
    end do
  end do
  checksum = 0.0d0
  do j = 1, 5
    do i = 1, length
      checksum = checksum + old(i, j) * dble(mod(i + 2 * j, 9))
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

contains

  subroutine by_sections(a, nx, ny)
    use gravel
    double precision, intent(inout) :: a(0:, 0:)
    integer, intent(in) :: nx, ny
    integer(gravel_request_kind) :: gravel_w1_by_sections, gravel_w2_by_sections, gravel_w3_by_sections, &
         gravel_w4_by_sections
    common /gravel_1w_by_sections/ gravel_w1_by_sections
    common /gravel_2w_by_sections/ gravel_w2_by_sections
    common /gravel_3w_by_sections/ gravel_w3_by_sections
    common /gravel_4w_by_sections/ gravel_w4_by_sections

    ! gravel: posted early, was line 65: call mpi_sendrecv(a(:, ny), nx + 2, mpi_double_precision, right, 2...
    call gravel_post_rcv_buffer_rdma(a(:, 0), nx + 2, mpi_double_precision, left, 2, mpi_comm_world, &
         gravel_w3_by_sections)
    ! gravel: receives and sends here, was line 63: call mpi_sendrecv(a(:, 1), nx + 2, mpi_double_precision...
    call gravel_post_rcv_buffer_rdma(a(:, ny + 1), nx + 2, mpi_double_precision, right, 1, mpi_comm_world, &
         gravel_w1_by_sections)
    call gravel_post_send(a(:, 1), nx + 2, mpi_double_precision, left, 1, mpi_comm_world, &
         gravel_w2_by_sections, ierr)
    ! gravel: sent without waiting, was line 65: call mpi_sendrecv(a(:, ny), nx + 2, mpi_double_precision, ...
    call gravel_post_send(a(:, ny), nx + 2, mpi_double_precision, right, 2, mpi_comm_world, &
         gravel_w4_by_sections, ierr)
  end subroutine by_sections

  subroutine by_elements(v, m, mp)
    use gravel
    integer, intent(in) :: m, mp
    double precision, intent(inout) :: v(0:m + 1, 0:mp + 1)
    integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2

    ! gravel: posted early, was line 75: call mpi_sendrecv(v(1, 1), m, mpi_double_precision, left, 4, v(1, ...
    call gravel_post_rcv_buffer_rdma(v(1, mp + 1), m, mpi_double_precision, right, 4, mpi_comm_world, &
         gravel_r2)
    ! gravel: receives and sends here, was line 73: call mpi_sendrecv(v(1, mp), m, mpi_double_precision, ri...
    call gravel_post_rcv_buffer_rdma(v(1, 0), m, mpi_double_precision, left, 3, mpi_comm_world, gravel_r1)
    call gravel_post_send(v(1, mp), m, mpi_double_precision, right, 3, mpi_comm_world, gravel_s1, ierr)
    ! gravel: sent without waiting, was line 75: call mpi_sendrecv(v(1, 1), m, mpi_double_precision, left, ...
    call gravel_post_send(v(1, 1), m, mpi_double_precision, left, 4, mpi_comm_world, gravel_s2)
    call gravel_wait(gravel_r2, v, ierr)
    call gravel_wait(gravel_s2, v)
    ! gravel: the wait moved here, was line 73: call mpi_sendrecv(v(1, mp), m, mpi_double_precision, right,...
    call gravel_wait(gravel_r1, v)
    call gravel_wait(gravel_s1, v)
  end subroutine by_elements
end program ghost_columns
