! Everybody sends pieces to rank 0, which takes them as they come: their producers announce them. Messages of another
! tag travel as usual.
program wildcards
  use mpi
  implicit none

  integer, parameter :: n = 12000, max_ranks = 16
  integer :: i, k, step, got, source
  integer :: status(mpi_status_size)
  double precision :: piece(n), taken(n), sums(0:max_ranks), weights(n), ring_in(n), ring_out(n), local
  integer :: ierr, rank, ranks, next, prev

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  sums = 0.0d0
  local = 0.0d0
  do i = 1, n
    weights(i) = dble(mod(i * 7, 13)) * 0.25d0
    ring_out(i) = dble(rank)
  end do
  do step = 1, 3
    if (rank /= 0) then
      do i = 1, n
        piece(i) = weights(i) * dble(rank + step)
      end do
      call mpi_send(piece, n, mpi_double_precision, 0, 5, mpi_comm_world, ierr)
      ! Goes on while the piece is on its way.
      do i = 1, n
        weights(i) = weights(i) + dble(mod(i, 3)) * 0.5d0
      end do
    else
      do k = 1, ranks - 1
        call mpi_recv(taken, n, mpi_double_precision, mpi_any_source, 5, mpi_comm_world, status, ierr)
        source = status(mpi_source)
        call mpi_get_count(status, mpi_double_precision, got, ierr)
        do i = 1, got
          sums(source) = sums(source) + taken(i)
        end do
      end do
    end if
    call mpi_sendrecv(ring_out, n, mpi_double_precision, next, 6, ring_in, n, mpi_double_precision, prev, 6, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      local = local + weights(i)
    end do
    do i = 1, n
      ring_out(i) = ring_in(i) + 1.0d0
    end do
  end do
  sums(ranks) = local + ring_out(n)
  if (rank == 0) then
    do i = 0, ranks
      write (*, '(a,i0,a,es24.16)') 'sum ', i, ': ', sums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program wildcards
