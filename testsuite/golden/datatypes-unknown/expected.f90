! Datatypes of which little or nothing is known when the program is compiled: in a COMMON block that is cut in two ways,
! behind a pointer, read from a text, handed over, in a component, given by a function. A message may be any part of its
! array, and the runtime looks at what the datatype is. A loop is cut for it where the runtime finds elements of the array.
module run_options
  use mpi
  implicit none
  type :: options
    integer :: column
    integer, pointer :: unit_of_work
  end type options
  integer, target :: real_type
  integer :: stored(3)
contains
  integer function datatype_of(which)
    integer, intent(in) :: which
    datatype_of = stored(which)
  end function datatype_of
end module run_options

subroutine choose
  use mpi
  implicit none
  integer :: numbers(3)
  common /setup/ numbers
  numbers(2) = mpi_double_precision
end subroutine choose

program datatypes_unknown
  use run_options
  use gravel
  implicit none

  integer, parameter :: n = 40000, nx = 40, ny = 300
  integer, parameter :: max_ranks = 16
  integer :: steps, wp_type, ignored
  common /setup/ steps, wp_type, ignored
  integer :: rank, ranks, next, prev, ierr, i, step, request, column, shorter, row
  character(len=20) :: text
  type(options) :: chosen
  double precision :: sbuf(n), rbuf(n), field(n)
  double precision :: u(nx, ny), v(nx, ny), w(nx, ny)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1, gravel_s2, gravel_s3, gravel_s4, gravel_s5, &
       gravel_w1_exchange, gravel_w1, gravel_request_2, gravel_request_3, gravel_request_4
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1
  common /gravel_1w_exchange/ gravel_w1_exchange

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call choose
  steps = 3

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 77)) * 0.125d0
  end do
  do step = 1, steps
    ! gravel: posted here, was line 55: call mpi_irecv(rbuf, n, wp_type, prev, 1, mpi_comm_world, request, ...
    call gravel_post_rcv_buffer_rdma(rbuf, n, wp_type, prev, 1, mpi_comm_world, request, ierr)
    ! gravel: one handshake, a put per tile, was line 59: call mpi_send(sbuf, n, wp_type, next, 1, mpi_comm...
    call gravel_wait_rcv_buffer(sbuf, n, wp_type, next, 1, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 59: call mpi_send(sbuf, n, wp_type, next, 1, mpi_comm_world...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here, was line 60: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, rbuf, ierr)
    do i = 1, n
      field(i) = field(i) + rbuf(i)
    end do
    ! gravel: the wait moved here, was line 59: call mpi_send(sbuf, n, wp_type, next, 1, mpi_comm_world, ierr)
    call gravel_wait(gravel_s1, sbuf)
  end do

  do i = 1, ny
    u(:, i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
  end do
  v = 0.0d0
  w = 0.0d0
  call mpi_type_vector(ny, 1, nx, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  call mpi_type_vector(2*ny, 1, nx, mpi_real, shorter, ierr)
  call mpi_type_commit(shorter, ierr)
  write (text, *) column
  read (text, *) real_type
  chosen%column = column
  allocate (chosen%unit_of_work)
  chosen%unit_of_work = column
  if (ranks > 2) chosen%column = shorter
  call mpi_type_contiguous(ny, mpi_double_precision, row, ierr)
  call mpi_type_commit(row, ierr)
  write (text, *) row
  read (text, *) stored(2)
  stored(3) = column

  ! gravel: receives and sends here, was line 87: call mpi_sendrecv(u(1, 1), 1, real_type, next, 2, v(1, 1)...
  call gravel_post_rcv_buffer_rdma(v(1, 1), 1, real_type, prev, 2, mpi_comm_world, gravel_r1)
  call gravel_post_send(u(1, 1), 1, real_type, next, 2, mpi_comm_world, gravel_s2, ierr)
  w(2:nx, :) = u(2:nx, :) * 0.25d0
  ! gravel: the wait moved here, was line 87: call mpi_sendrecv(u(1, 1), 1, real_type, next, 2, v(1, 1), 1,...
  call gravel_wait(gravel_r1, v)
  v(2:nx, :) = w(2:nx, :) + 1.0d0
  call exchange(u(2, 1), v(2, 1), column, 3)
  ! gravel: waited for below
  gravel_w1 = gravel_w1_exchange
  call exchange(u(1, 1), v(4, 1), shorter, 3)
  ! gravel: posted here, was line 92: call mpi_irecv(v(3, 1), 1, chosen%column, prev, 4, mpi_comm_world, re...
  call gravel_post_rcv_buffer_rdma(v(3, 1), 1, chosen%column, prev, 4, mpi_comm_world, gravel_request_2, ierr)
  ! gravel: sent without waiting, was line 93: call mpi_send(u(3, 1), 1, chosen%column, next, 4, mpi_comm_w...
  call gravel_post_send(u(3, 1), 1, chosen%column, next, 4, mpi_comm_world, gravel_s3, ierr)
  w(1, :) = u(1, :) * 3.0d0
  ! gravel: waits here, was line 95: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(gravel_request_2, v, ierr)
  ! gravel: posted here, was line 96: call mpi_irecv(v(1, 50), 1, datatype_of(2), prev, 5, mpi_comm_world, ...
  call gravel_post_rcv_buffer_rdma(v(1, 50), 1, datatype_of(2), prev, 5, mpi_comm_world, gravel_request_3, &
       ierr)
  ! gravel: sent without waiting, was line 97: call mpi_send(u(5, 1), 1, datatype_of(3), next, 5, mpi_comm_...
  call gravel_post_send(u(5, 1), 1, datatype_of(3), next, 5, mpi_comm_world, gravel_s4, ierr)
  w(1, :) = w(1, :) + u(7, :)
  ! gravel: waits here, was line 99: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(gravel_request_3, v, ierr)
  ! gravel: posted here, was line 100: call mpi_irecv(v(:, 9), nx, wp_type, prev, 6, mpi_comm_world, reques...
  call gravel_post_rcv_buffer_rdma(v(:, 9), nx, wp_type, prev, 6, mpi_comm_world, gravel_request_4, ierr)
  ! gravel: sent without waiting, was line 101: call mpi_send(u(:, 8), nx, wp_type, next, 6, mpi_comm_world...
  call gravel_post_send(u(:, 8), nx, wp_type, next, 6, mpi_comm_world, gravel_s5, ierr)
  w(1, :) = w(1, :) - u(8, :)
  ! gravel: waits here, was line 103: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(gravel_request_4, v, ierr)
  call mpi_sendrecv(u(9, 1), 1, chosen%unit_of_work, next, 7, v(9, 1), 1, chosen%unit_of_work, prev, 7, mpi_comm_world, &
                    mpi_status_ignore, ierr)

  checksum = sum(u) + 3.0d0 * sum(v) + 5.0d0 * sum(w)
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 31))
  end do
  ! gravel: the wait moved here, was line 87: call mpi_sendrecv(u(1, 1), 1, real_type, next, 2, v(1, 1), 1,...
  call gravel_wait(gravel_s2, u)
  ! gravel: the wait moved here, was line 93: call mpi_send(u(3, 1), 1, chosen%column, next, 4, mpi_comm_wo...
  call gravel_wait(gravel_s3, u)
  ! gravel: the wait moved here, was line 97: call mpi_send(u(5, 1), 1, datatype_of(3), next, 5, mpi_comm_w...
  call gravel_wait(gravel_s4, u)
  ! gravel: the wait moved here, was line 101: call mpi_send(u(:, 8), nx, wp_type, next, 6, mpi_comm_world,...
  call gravel_wait(gravel_s5, u)
  ! gravel: waits here for what line 90 has begun: call exchange(u(2, 1), v(2, 1), column, 3)
  call gravel_wait(gravel_w1, u)
  ! gravel: waits here for what line 91 has begun: call exchange(u(1, 1), v(4, 1), shorter, 3)
  call gravel_wait(gravel_w1_exchange, u)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      print '(a,i3,a,es24.16)', 'rank', i - 1, ' checksum', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
contains
  subroutine exchange(sent, received, datatype, tag)
    use gravel
    double precision, intent(in) :: sent(*)
    double precision, intent(inout) :: received(*)
    integer, intent(in) :: datatype, tag
    integer :: pending, j
    integer(gravel_request_kind) :: gravel_w1_exchange
    common /gravel_1w_exchange/ gravel_w1_exchange
    ! gravel: posted here, was line 125: call mpi_irecv(received, 1, datatype, prev, tag, mpi_comm_world, p...
    call gravel_post_rcv_buffer_rdma(received, 1, datatype, prev, tag, mpi_comm_world, pending, ierr)
    ! gravel: sent without waiting, was line 126: call mpi_send(sent, 1, datatype, next, tag, mpi_comm_worl...
    call gravel_post_send(sent, 1, datatype, next, tag, mpi_comm_world, gravel_w1_exchange, ierr)
    do j = 1, ny
      w(6, j) = w(6, j) + dble(j) * 0.5d0
    end do
    ! gravel: waits here, was line 130: call mpi_wait(pending, mpi_status_ignore, ierr)
    call gravel_wait(pending, received, ierr)
  end subroutine exchange
end program datatypes_unknown
