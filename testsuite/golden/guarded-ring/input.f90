! What goes round a ring is worked with on the way: the last step sends nothing, so that posts and waits stand in a
! branch. The border of the left neighbour comes where there is one.
program guarded_ring
  use mpi
  implicit none

  integer, parameter :: n = 400, width = 3
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step, turn
  integer :: requests(2), status(mpi_status_size)
  double precision :: own(width, n), forces(width, n), travelling(width, n), arriving(width, n), border(n)
  double precision :: distance(width), squared
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
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
    travelling = own
    forces = 0.0d0
    if (rank < ranks - 1) call mpi_send(own(1, 1), n, mpi_double_precision, rank + 1, 9, mpi_comm_world, ierr)
    if (rank > 0) then
      call mpi_recv(border, n, mpi_double_precision, rank - 1, 9, mpi_comm_world, status, ierr)
    end if
    do step = 1, ranks
      if (step < ranks) then
        call mpi_irecv(arriving, width * n, mpi_double_precision, prev, step, mpi_comm_world, requests(1), ierr)
        call mpi_isend(travelling, width * n, mpi_double_precision, next, step, mpi_comm_world, requests(2), ierr)
        call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
      end if
      do i = 1, n
        do j = 1, n
          distance = travelling(:, j) - own(:, i)
          squared = distance(1) ** 2 + distance(2) ** 2 + distance(3) ** 2 + 0.0625d0
          forces(:, i) = forces(:, i) + distance / (squared * sqrt(squared))
        end do
      end do
      if (step < ranks) travelling = arriving
    end do
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
  call mpi_finalize(ierr)
end program guarded_ring
