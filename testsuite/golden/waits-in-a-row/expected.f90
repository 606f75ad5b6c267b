! Messages to and from one array, of which nobody knows where they lie in it, are waited for one after the other. All of them
! were pending at the same time, so they share no memory, and none of the waits stands in the way of another.
program waits_in_a_row
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer, parameter :: length = 20000
  integer :: ierr, rank, ranks, next, prev, i, step, first, last
  integer :: received, sent
  integer :: requests(4)
  integer :: status(mpi_status_size)
  double precision :: field(8 * length), other(length)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s4, gravel_received_2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  first = 1 + 4 * command_argument_count()
  last = 2 * length + 1 + 5 * command_argument_count()

  do i = 1, 8 * length
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  checksum = 0.0d0
  do step = 1, 3
    ! gravel: posted here, was line 29: call mpi_irecv(field(last), length, mpi_double_precision, prev, 1, ...
    call gravel_post_rcv_buffer_rdma(field(last), length, mpi_double_precision, prev, 1, mpi_comm_world, &
         received, ierr)
    ! gravel: sent without waiting, was line 30: call mpi_isend(field(first), length, mpi_double_precision,...
    call gravel_post_send(field(first), length, mpi_double_precision, next, 1, mpi_comm_world, sent, ierr)
    ! gravel: moved away from here, was line 31: call mpi_wait(received, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: waits here, was line 32: call mpi_wait(sent, mpi_status_ignore, ierr)
    call gravel_wait(sent, field, ierr)
    ! gravel: posted early, was line 41: call mpi_irecv(field(last + length), length, mpi_double_precision,...
    call gravel_post_rcv_buffer_rdma(field(last + length), length, mpi_double_precision, next, 3, &
         mpi_comm_world, requests(2))
    do i = 1, length
      other(i) = sqrt(dble(i + step))
    end do
    ! gravel: the wait moved here, was line 31: call mpi_wait(received, mpi_status_ignore, ierr)
    call gravel_wait(received, field)
    do i = 1, length
      checksum = checksum + field(last + i - 1) * other(i)
    end do

    ! gravel: posted here, was line 40: call mpi_irecv(field(last), length, mpi_double_precision, prev, 2, ...
    call gravel_post_rcv_buffer_rdma(field(last), length, mpi_double_precision, prev, 2, mpi_comm_world, &
         requests(1), ierr)
    ! gravel: moved away from here, was line 41: call mpi_irecv(field(last + length), length, mpi_double_pr...
    ierr = 0
    ! gravel: sent without waiting, was line 42: call mpi_isend(field(first), length, mpi_double_precision,...
    call gravel_post_send(field(first), length, mpi_double_precision, next, 2, mpi_comm_world, requests(3), &
         ierr)
    ! gravel: sent without waiting, was line 43: call mpi_isend(field(first + length), length, mpi_double_p...
    call gravel_post_send(field(first + length), length, mpi_double_precision, prev, 3, mpi_comm_world, &
         requests(4), ierr)
    ! gravel: moved away from here, was line 44: call mpi_wait(requests(1), status, ierr)
    ierr = 0
    ! gravel: moved away from here, was line 45: call mpi_wait(requests(2), status, ierr)
    ierr = 0
    ! gravel: moved away from here, was line 46: call mpi_wait(requests(3), status, ierr)
    ierr = 0
    ! gravel: moved away from here, was line 47: call mpi_wait(requests(4), status, ierr)
    ierr = 0
    do i = 1, length
      other(i) = other(i) + dble(mod(i, 7))
    end do
    ! gravel: the wait moved here, was line 44: call mpi_wait(requests(1), status, ierr)
    call gravel_wait(requests(1), field, status)
    ! gravel: the wait moved here, was line 45: call mpi_wait(requests(2), status, ierr)
    call gravel_wait(requests(2), field, status)
    ! gravel: the wait moved here, was line 46: call mpi_wait(requests(3), status, ierr)
    call gravel_wait(requests(3), field, status)
    do i = 1, length
      field(first + i - 1) = 0.5d0 * field(first + i - 1) + 0.25d0 * (field(last + i - 1) + other(i))
    end do
    ! gravel: the wait moved here, was line 47: call mpi_wait(requests(4), status, ierr)
    call gravel_wait(requests(4), field, status)

    ! A blocking call beside a receive that was posted before it.
    ! gravel: posted here, was line 56: call mpi_irecv(field(last), length, mpi_double_precision, prev, 4, ...
    call gravel_post_rcv_buffer_rdma(field(last), length, mpi_double_precision, prev, 4, mpi_comm_world, &
         gravel_received_2, ierr)
    ! gravel: sent without waiting, was line 57: call mpi_send(field(first), length, mpi_double_precision, ...
    call gravel_post_send(field(first), length, mpi_double_precision, next, 4, mpi_comm_world, gravel_s4, &
         ierr)
    ! gravel: moved away from here, was line 58: call mpi_wait(received, status, ierr)
    ierr = 0
    do i = 1, length
      checksum = checksum + other(i) * dble(mod(i, 3))
    end do
    ! gravel: the wait moved here, was line 57: call mpi_send(field(first), length, mpi_double_precision, n...
    call gravel_wait(gravel_s4, field)
    ! gravel: the wait moved here, was line 58: call mpi_wait(received, status, ierr)
    call gravel_wait(gravel_received_2, field, status)
  end do
  do i = 1, 4 * length
    checksum = checksum + field(i) * dble(mod(i, 9))
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
end program waits_in_a_row
