! What goes round a ring is worked with on the way: the last step sends nothing, so that posts and waits stand in a
! branch. The border of the left neighbour comes where there is one.
program guarded_ring
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 400, width = 3
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step, turn
  integer :: requests(2), status(mpi_status_size)
  double precision :: own(width, n), forces(width, n), travelling(width, n), arriving(width, n), border(n)
  double precision :: distance(width), squared
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1, gravel_w1, gravel_w2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  border = 0.0d0
  do i = 1, n
    do j = 1, width
      own(j, i) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  do turn = 1, 2
    ! gravel: null where the branch below is not taken
    gravel_s1 = gravel_request_null
    ! gravel: null where the branch below is not taken
    gravel_r1 = gravel_request_null
    ! gravel: posted early, was line 32: call mpi_recv(border, n, mpi_double_precision, rank - 1, 9, mpi_co...
    if (rank > 0) call gravel_post_rcv_buffer_rdma(border, n, mpi_double_precision, rank - 1, 9, &
         mpi_comm_world, gravel_r1)
    ! gravel: sent here, where it is complete, was line 30: call mpi_send(own(1, 1), n, mpi_double_precisio...
    if (rank < ranks - 1) call gravel_post_send(own(1, 1), n, mpi_double_precision, rank + 1, 9, &
         mpi_comm_world, gravel_s1)
    travelling = own
    forces = 0.0d0
    ! gravel: moved away from here, was line 30: call mpi_send(own(1, 1), n, mpi_double_precision, rank + 1...
    if (rank < ranks - 1) ierr = 0
    if (rank > 0) then
      ! gravel: moved away from here, was line 32: call mpi_recv(border, n, mpi_double_precision, rank - 1,...
      ierr = 0
    end if
    do step = 1, ranks
      ! gravel: null where the branch below is not taken
      gravel_w1 = gravel_request_null
      gravel_w2 = gravel_request_null
      if (step < ranks) then
        ! gravel: posted here, was line 36: call mpi_irecv(arriving, width * n, mpi_double_precision, prev,...
        call gravel_post_rcv_buffer_rdma(arriving, width * n, mpi_double_precision, prev, step, &
             mpi_comm_world, requests(1), ierr)
        ! gravel: sent without waiting, was line 37: call mpi_isend(travelling, width * n, mpi_double_preci...
        call gravel_post_send(travelling, width * n, mpi_double_precision, next, step, mpi_comm_world, &
             requests(2), ierr)
        ! gravel: moved away from here, was line 38: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
        ierr = 0
        gravel_w1 = requests(1)
        requests(1) = gravel_request_null
        gravel_w2 = requests(2)
        requests(2) = gravel_request_null
      end if
      do i = 1, n
        do j = 1, n
          distance = travelling(:, j) - own(:, i)
          squared = distance(1) ** 2 + distance(2) ** 2 + distance(3) ** 2 + 0.0625d0
          forces(:, i) = forces(:, i) + distance / (squared * sqrt(squared))
        end do
      end do
      ! gravel: the wait moved here, was line 38: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
      call gravel_wait(gravel_w1, arriving)
      call gravel_wait(gravel_w2, travelling)
      if (step < ranks) travelling = arriving
    end do
    ! gravel: the wait moved here, was line 30: call mpi_send(own(1, 1), n, mpi_double_precision, rank + 1,...
    call gravel_wait(gravel_s1, own)
    ! gravel: the wait moved here, was line 32: call mpi_recv(border, n, mpi_double_precision, rank - 1, 9,...
    call gravel_wait(gravel_r1, border, status)
    do i = 1, n
      own(:, i) = own(:, i) + forces(:, i) * 0.0078125d0 + border(i) * 0.0009765625d0
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    do j = 1, width
      checksum = checksum + own(j, i) * dble(mod(i + 2*j, 13))
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
end program guarded_ring
