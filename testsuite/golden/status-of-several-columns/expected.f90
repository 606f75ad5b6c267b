! Arrays with room for several statuses, or with one behind other dimensions: their first column is filled. Every rank prints.
! ranks: 1
module shelf
  implicit none
  integer, parameter :: several = 3

contains

  ! As a dummy argument whose last extent is that of the actual one.
  subroutine shift(outgoing, incoming, n, statuses, ierr)
    use gravel
    include 'mpif.h'
    integer, intent(in) :: n
    double precision, intent(inout) :: outgoing(n), incoming(n)
    integer, intent(inout) :: statuses(mpi_status_size, 0:*)
    integer, intent(out) :: ierr
    integer :: me, ranks, next, prev, request, i
    integer(gravel_request_kind) :: gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    call mpi_comm_rank(mpi_comm_world, me, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    next = mod(me + 1, ranks)
    prev = mod(me + ranks - 1, ranks)
    ! gravel: posted here, was line 22: call mpi_irecv(incoming, n, mpi_double_precision, prev, 7, mpi_comm...
    call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 7, mpi_comm_world, request, &
         ierr)
    ! gravel: one handshake, a put per tile, was line 26: call mpi_send(outgoing, n, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 7, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = me + 0.875d0*i
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 26: call mpi_send(outgoing, n, mpi_double_precision, next, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here, was line 27: call mpi_wait(request, statuses, ierr)
    call gravel_wait(request, incoming, statuses(:, 0), ierr)
    ! gravel: the wait moved here, was line 26: call mpi_send(outgoing, n, mpi_double_precision, next, 7, m...
    call gravel_wait(gravel_s1, outgoing)
    incoming(1) = incoming(1) + statuses(mpi_tag, 0)
  end subroutine shift

  ! As a dummy argument, with bounds of its own.
  subroutine wait_into(request, statuses, many, ierr)
    include 'mpif.h'
    integer, intent(inout) :: request
    integer, intent(in) :: many
    integer, intent(inout) :: statuses(mpi_status_size, -1:many - 2)
    integer, intent(out) :: ierr

    call mpi_wait(request, statuses, ierr)
  end subroutine wait_into

end module shelf

program status_of_several_columns
  use shelf
  use gravel
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000
  integer :: me, ranks, next, prev, ierr, i, k, request, which, before
  integer :: requests(2)
  integer :: guard(50), statuses(mpi_status_size, 4), deep(mpi_status_size, 2, 3), cube(mpi_status_size, 5:6, -1:1), behind(50)
  integer, parameter :: lowest = -several
  integer :: handed(mpi_status_size, several), of_any(mpi_status_size, lowest:0)
  logical :: done
  common /neighbours/ guard, statuses, deep, cube, behind
  integer :: of_test(mpi_status_size, 0:several)
  double precision :: outgoing(n), incoming(n), checksum
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s2, gravel_s3, gravel_s5, gravel_s6
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2, gravel_t3, gravel_t4, gravel_t5, gravel_t6
  integer :: gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_lo5, gravel_lo6, gravel_hi1, gravel_hi2, &
       gravel_hi3, gravel_hi4, gravel_hi5, gravel_hi6, gravel_step1, gravel_step2, gravel_step3, gravel_step4, &
       gravel_step5, gravel_step6

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(me + 1, ranks)
  prev = mod(me + ranks - 1, ranks)
  ! gravel: posted early, was line 80: call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_w...
  call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, gravel_r1)
  guard = 7
  behind = 9
  statuses = 1000000
  deep = 1000000
  cube = 1000000
  handed = 1000000
  of_any = 1000000
  of_test = 1000000
  checksum = 0

  ! A blocking receive.
  ! gravel: one handshake, a put per tile, was line 79: call mpi_isend(outgoing, n, mpi_double_precision, n...
  call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       outgoing(i) = me + 0.5d0*i
     end do
     call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: sent tile by tile above, was line 79: call mpi_isend(outgoing, n, mpi_double_precision, next, 1...
  call gravel_send_fin(gravel_t1, request, ierr)
  ! gravel: waits here, was line 80: call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_wor...
  call gravel_wait(gravel_r1, incoming, statuses(:, 1), ierr)
  checksum = checksum + sum(incoming)
  ! gravel: waits here, was line 82: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(request, outgoing, ierr)
  call mpi_get_count(statuses(1, 1), mpi_double_precision, which, ierr)
  print *, me, 'receive', statuses(mpi_source, 1) == prev, statuses(mpi_tag, 1), which

  ! A wait, of rank 3.
  ! gravel: posted here, was line 87: call mpi_irecv(incoming, n, mpi_double_precision, prev, 2, mpi_comm_w...
  call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
  ! gravel: one handshake, a put per tile, was line 91: call mpi_send(outgoing, n, mpi_double_precision, ne...
  call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 2, mpi_comm_world, gravel_t2)
  gravel_step2 = gravel_tile(gravel_t2, n)
  do gravel_lo2 = 1, n, gravel_step2
     gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
     do i = gravel_lo2, gravel_hi2
       outgoing(i) = me + 0.25d0*i
     end do
     call gravel_post_os_put(gravel_t2, outgoing, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
  end do
  ! gravel: sent tile by tile above, was line 91: call mpi_send(outgoing, n, mpi_double_precision, next, 2,...
  call gravel_send_fin(gravel_t2, gravel_s2, ierr)
  ! gravel: waits here, was line 92: call mpi_wait(request, deep, ierr)
  call gravel_wait(request, incoming, deep(:, 1, 1), ierr)
  ! gravel: the wait moved here, was line 91: call mpi_send(outgoing, n, mpi_double_precision, next, 2, mpi...
  call gravel_wait(gravel_s2, outgoing)
  checksum = checksum + sum(incoming)
  print *, me, 'wait', deep(mpi_source, 1, 1) == prev, deep(mpi_tag, 1, 1)

  ! Lower bounds other than 1, and a sender and a receiver at once.
  ! gravel: posted early, was line 100: call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 3, incom...
  call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 3, mpi_comm_world, gravel_r2)
  ! gravel: one handshake, a put per tile, was line 100: call mpi_sendrecv(outgoing, n, mpi_double_precisio...
  call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 3, mpi_comm_world, gravel_t3)
  gravel_step3 = gravel_tile(gravel_t3, n)
  do gravel_lo3 = 1, n, gravel_step3
     gravel_hi3 = gravel_lo3 + min(gravel_step3 - 1, n - gravel_lo3)
     do i = gravel_lo3, gravel_hi3
       outgoing(i) = me + 0.125d0*i
     end do
     call gravel_post_os_put(gravel_t3, outgoing, gravel_lo3 - 1, gravel_hi3 - gravel_lo3 + 1)
  end do
  ! gravel: sent tile by tile above, was line 100: call mpi_sendrecv(outgoing, n, mpi_double_precision, nex...
  call gravel_send_fin(gravel_t3, gravel_s3)
  call gravel_wait(gravel_r2, incoming, cube(:, 5, -1), ierr)
  call gravel_wait(gravel_s3, outgoing)
  checksum = checksum + sum(incoming)
  print *, me, 'exchange', cube(mpi_source, 5, -1) == prev, cube(mpi_tag, 5, -1)

  ! A wait for any, twice.
  ! gravel: posted here, was line 106: call mpi_irecv(incoming, n, mpi_double_precision, prev, 4, mpi_comm_...
  call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 4, mpi_comm_world, requests(1), &
       ierr)
  ! gravel: one handshake, a put per tile, was line 110: call mpi_isend(outgoing, n, mpi_double_precision, ...
  call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 4, mpi_comm_world, gravel_t4)
  gravel_step4 = gravel_tile(gravel_t4, n)
  do gravel_lo4 = 1, n, gravel_step4
     gravel_hi4 = gravel_lo4 + min(gravel_step4 - 1, n - gravel_lo4)
     do i = gravel_lo4, gravel_hi4
       outgoing(i) = me + 0.0625d0*i
     end do
     call gravel_post_os_put(gravel_t4, outgoing, gravel_lo4 - 1, gravel_hi4 - gravel_lo4 + 1)
  end do
  ! gravel: sent tile by tile above, was line 110: call mpi_isend(outgoing, n, mpi_double_precision, next, ...
  call gravel_send_fin(gravel_t4, requests(2), ierr)
  before = 0
  do k = 1, 2
    ! gravel: waits here, was line 113: call mpi_waitany(2, requests, which, of_any, ierr)
    call gravel_waitany(2, requests, which, of_any(:, -3), ierr)
    call gravel_f_sync_reg(incoming)
    call gravel_f_sync_reg(outgoing)
    if (which == 1) before = of_any(mpi_tag, lowest)
  end do
  checksum = checksum + sum(incoming)
  print *, me, 'any', before

  ! A test, into a component of an object.
  ! gravel: posted here, was line 120: call mpi_irecv(incoming, n, mpi_double_precision, prev, 5, mpi_comm_...
  call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 5, mpi_comm_world, request, ierr)
  ! gravel: one handshake, a put per tile, was line 124: call mpi_send(outgoing, n, mpi_double_precision, n...
  call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t5)
  gravel_step5 = gravel_tile(gravel_t5, n)
  do gravel_lo5 = 1, n, gravel_step5
     gravel_hi5 = gravel_lo5 + min(gravel_step5 - 1, n - gravel_lo5)
     do i = gravel_lo5, gravel_hi5
       outgoing(i) = me + 0.75d0*i
     end do
     call gravel_post_os_put(gravel_t5, outgoing, gravel_lo5 - 1, gravel_hi5 - gravel_lo5 + 1)
  end do
  ! gravel: sent tile by tile above, was line 124: call mpi_send(outgoing, n, mpi_double_precision, next, 5...
  call gravel_send_fin(gravel_t5, gravel_s5, ierr)
  call gravel_wait(gravel_s5, outgoing)
  done = .false.
  do while (.not. done)
    ! gravel: tested here, was line 127: call mpi_test(request, done, of_test, ierr)
    call gravel_test(request, incoming, done, of_test(:, 0), ierr)
  end do
  checksum = checksum + sum(incoming)
  print *, me, 'test', of_test(mpi_source, 0) == prev, of_test(mpi_tag, 0)

  ! In a procedure.
  ! gravel: posted here, was line 133: call mpi_irecv(incoming, n, mpi_double_precision, prev, 6, mpi_comm_...
  call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 6, mpi_comm_world, request, ierr)
  ! gravel: one handshake, a put per tile, was line 137: call mpi_send(outgoing, n, mpi_double_precision, n...
  call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, next, 6, mpi_comm_world, gravel_t6)
  gravel_step6 = gravel_tile(gravel_t6, n)
  do gravel_lo6 = 1, n, gravel_step6
     gravel_hi6 = gravel_lo6 + min(gravel_step6 - 1, n - gravel_lo6)
     do i = gravel_lo6, gravel_hi6
       outgoing(i) = me + 0.375d0*i
     end do
     call gravel_post_os_put(gravel_t6, outgoing, gravel_lo6 - 1, gravel_hi6 - gravel_lo6 + 1)
  end do
  ! gravel: sent tile by tile above, was line 137: call mpi_send(outgoing, n, mpi_double_precision, next, 6...
  call gravel_send_fin(gravel_t6, gravel_s6, ierr)
  ! gravel: waits here, was line 138: call wait_into(request, handed, several, ierr)
  call gravel_wait(request, incoming, handed(:, 1), ierr)
  ! gravel: the wait moved here, was line 137: call mpi_send(outgoing, n, mpi_double_precision, next, 6, mp...
  call gravel_wait(gravel_s6, outgoing)
  checksum = checksum + sum(incoming)
  print *, me, 'procedure', handed(mpi_source, 1) == prev, handed(mpi_tag, 1)

  handed(:, 1) = 1000000
  call shift(outgoing, incoming, n, handed, ierr)
  checksum = checksum + sum(incoming)
  print *, me, 'last', handed(mpi_source, 1) == prev, handed(mpi_tag, 1)

  print *, me, checksum, all(guard == 7), all(behind == 9)
  print *, me, all(statuses(:, 2:) == 1000000), all(deep(:, 2:, :) == 1000000), all(deep(:, :, 2:) == 1000000), &
       all(cube(:, 6:, :) == 1000000), all(of_any(:, lowest + 1:) == 1000000), all(of_test(:, 1:) == 1000000), &
       all(handed(:, 2:) == 1000000)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program status_of_several_columns
