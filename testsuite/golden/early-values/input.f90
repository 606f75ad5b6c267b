! Ranks and tags that the program works out only between the loops and the calls: what moves up is given them there.
program early_values
  use mpi
  implicit none

  integer, parameter :: n = 30000
  integer :: ierr, rank, ranks, last, step, i, kind_of_message, partner, first, tag, wrapped
  integer :: status(mpi_status_size), source, requests(2), statuses(mpi_status_size, 2)
  double precision :: field(n, 4), sbuf(n), rbuf(n), work(n), checksum
  double precision :: gathered(3, 16)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  last = ranks - 1
  field = 1.0d0 + rank
  work = 0.0d0
  checksum = 0.0d0
  do step = 1, 4
    call shift(field, sbuf, rbuf, rank, ranks)

    ! One variable for the tags of several calls, each set right before its call.
    do i = 1, n
      work(i) = work(i) + 0.5d0 * field(i, 2)
    end do
    partner = mod(rank + 1, ranks)
    kind_of_message = 7
    call mpi_isend(field(:, 1), n, mpi_double_precision, partner, kind_of_message, mpi_comm_world, requests(1), ierr)
    partner = mod(rank + last, ranks)
    kind_of_message = 7 + 0*step
    call mpi_recv(rbuf, n, mpi_double_precision, partner, kind_of_message, mpi_comm_world, status, ierr)
    checksum = checksum + sum(rbuf) / n + status(mpi_tag)
    call mpi_wait(requests(1), status, ierr)

    ! Set in some branches only: else it stays what it was above the loop.
    source = mpi_proc_null
    tag = 20
    rbuf = 0.0d0
    do i = 1, n
      sbuf(i) = field(i, 3) + 0.25d0 * work(i)
    end do
    wrapped = rank + step
    if (wrapped > last) then
      ! Comments stay where they are.
      wrapped = mod(wrapped, ranks)
      if (step == 2) tag = tag + 1
    else if (step == 2) then
      tag = tag + 1
    end if
    if (step /= 3) source = mod(rank - step + 4 * ranks, ranks)
    call mpi_irecv(rbuf, n, mpi_double_precision, source, tag, mpi_comm_world, requests(1), ierr)
    if (step /= 3) then
      first = wrapped
    else
      first = mpi_proc_null
    end if
    call mpi_isend(sbuf, n, mpi_double_precision, first, tag, mpi_comm_world, requests(2), ierr)
    call mpi_waitall(2, requests, statuses, ierr)
    field(:, 4) = field(:, 4) + rbuf
    if (step /= 3 .and. statuses(mpi_source, 1) /= source) checksum = checksum + 1.0d6

    ! Below a branch, and in it.
    do i = 1, n
      sbuf(i) = 0.5d0 * field(i, 4)
    end do
    tag = 30 + step
    if (rank > 0) then
      first = rank - 1
      call mpi_send(sbuf, n, mpi_double_precision, first, tag, mpi_comm_world, ierr)
    end if
    do i = 1, n
      work(i) = 0.5d0 * work(i)
    end do
    if (rank < last) then
      first = rank
      first = first + 1
      call mpi_recv(rbuf, n, mpi_double_precision, first, tag, mpi_comm_world, status, ierr)
      field(:, 2) = field(:, 2) + rbuf
    end if

    ! The caller of a procedure that begins with a receive.
    do i = 1, n
      work(i) = work(i) + 1.0d0 / step
    end do
    partner = rank - 1
    if (rank == 0) partner = last
    first = rank + 1
    if (rank == last) first = 0
    call exchange(rbuf, field(:, 1), partner, first, 50 + step)
    field(:, 1) = 0.5d0 * (field(:, 1) + rbuf)
  end do
  call mpi_gather([checksum, sum(field), sum(work)], 3, mpi_double_precision, gathered, 3, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) print '(3es24.16)', gathered(:, 1:ranks)
  call mpi_finalize(ierr)

contains

  ! Two neighbours, both with a branch for the border.
  subroutine shift(field, sbuf, rbuf, rank, ranks)
    double precision, intent(inout) :: field(n, 4), sbuf(n), rbuf(n)
    integer, intent(in) :: rank, ranks
    integer :: forward, backward, i, tag, ierr, status(mpi_status_size)
    tag = 10
    do i = 1, n
      sbuf(i) = 2.0d0 * field(i, 4)
    end do
    forward = rank + 1
    backward = rank - 1
    if (rank == ranks - 1) forward = 0
    if (rank == 0) backward = ranks - 1
    call mpi_sendrecv(sbuf, n, mpi_double_precision, forward, tag, rbuf, n, mpi_double_precision, backward, &
                      tag, mpi_comm_world, status, ierr)
    do i = 1, n
      field(i, 3) = 0.25d0 * (field(i, 3) + rbuf(i))
    end do
  end subroutine shift

  subroutine exchange(received, sent, source, destination, tag)
    double precision, intent(inout) :: received(n)
    double precision, intent(in) :: sent(n)
    integer, intent(in) :: source, destination, tag
    integer :: request, ierr, status(mpi_status_size)
    call mpi_irecv(received, n, mpi_double_precision, source, tag, mpi_comm_world, request, ierr)
    call mpi_send(sent, n, mpi_double_precision, destination, tag, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
  end subroutine exchange
end program early_values
