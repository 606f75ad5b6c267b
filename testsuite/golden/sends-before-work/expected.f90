! Messages are complete some time before they are sent: the faces are packed one after the other before all of them are sent,
! and what the interior does in a step is worked out between the new border and its way to the neighbours.
program sends_before_work
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 300, m = 200
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, left, right, i, j, step
  integer :: requests(4)
  double precision :: field(n, m), to_right(n), from_left(n), from_right(n)
  double precision :: border(m), other_border(m), energy(m)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1, gravel_s3

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do j = 1, m
    do i = 1, n
      field(i, j) = dble(mod(i * 3 + j * 5 + rank, 23)) * 0.25d0
    end do
  end do
  border = 0.0d0
  other_border = 0.0d0
  checksum = 0.0d0

  do step = 1, 4
    ! gravel: posted here, was line 30: call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_com...
    call gravel_post_rcv_buffer_rdma(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, requests(1), &
         ierr)
    ! gravel: posted here, was line 31: call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mpi_c...
    call gravel_post_rcv_buffer_rdma(from_right, n, mpi_double_precision, right, 2, mpi_comm_world, &
         requests(2), ierr)
    ! gravel: sent from where it lies, was line 32: to_left = field(:, 1)
    ! gravel: posted early, was line 52: call mpi_recv(other_border, m, mpi_double_precision, rank - 1, 3, ...
    if (rank > 0) call gravel_post_rcv_buffer_rdma(other_border, m, mpi_double_precision, rank - 1, 3, &
         mpi_comm_world, gravel_r1)
    call face(to_right, field(:, m))
    ! gravel: sent here, where it is complete, was line 37: call mpi_isend(to_right, n, mpi_double_precisio...
    call gravel_post_send(to_right, n, mpi_double_precision, right, 1, mpi_comm_world, gravel_s1)
    do j = 1, m
      energy(j) = sum(field(:, j) ** 2)
    end do
    ! gravel: posted above, was line 37: call mpi_isend(to_right, n, mpi_double_precision, right, 1, mpi_co...
    requests(3) = gravel_s1
    ierr = 0
    ! gravel: sent without waiting, was line 38: call mpi_isend(to_left, n, mpi_double_precision, left, 2, ...
    call gravel_post_send(field(:, 1), n, mpi_double_precision, left, 2, mpi_comm_world, requests(4), ierr)
    ! gravel: waits here, was line 39: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(1), from_left, ierr)
    call gravel_wait(requests(2), from_right, ierr)
    call gravel_wait(requests(4), field, ierr)
    do j = 1, m
      field(:, j) = field(:, j) + (from_left - from_right) * 0.0625d0
    end do

    border = field(1, :)
    ! gravel: sent here, where it is complete, was line 49: call mpi_send(border, m, mpi_double_precision, ...
    gravel_s3 = gravel_request_null
    if (rank < ranks - 1) call gravel_post_send(border, m, mpi_double_precision, rank + 1, 3, mpi_comm_world, &
         gravel_s3)
    do j = 1, m
      energy(j) = energy(j) + maxval(field(:, j))
    end do
    if (rank < ranks - 1) then
      ! gravel: moved away from here, was line 49: call mpi_send(border, m, mpi_double_precision, rank + 1,...
      ierr = 0
    end if
    if (rank > 0) then
      ! gravel: waits here, was line 52: call mpi_recv(other_border, m, mpi_double_precision, rank - 1, 3, ...
      call gravel_wait(gravel_r1, other_border, ierr)
    end if
    field(n, :) = field(n, :) + other_border * 0.125d0
    ! gravel: the wait moved here, was line 39: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), to_right)
    ! gravel: the wait moved here, was line 49: call mpi_send(border, m, mpi_double_precision, rank + 1, 3,...
    call gravel_wait(gravel_s3, border)
    checksum = checksum + sum(energy)
  end do
  do j = 1, m
    do i = 1, n
      checksum = checksum + field(i, j) * dble(mod(i + 2 * j, 13))
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

  subroutine face(packed, column)
    double precision, intent(out) :: packed(n)
    double precision, intent(in) :: column(n)

    packed = 0.5d0 * column
  end subroutine face

end program sends_before_work
