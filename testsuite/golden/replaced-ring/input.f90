! What goes round a ring is sent and received in one buffer: a copy of it is sent, the receive is posted behind that, and
! its wait goes down to where the buffer is needed, or into the loop that reads it. A block of a matrix goes round, too.
program replaced_ring
  use mpi
  implicit none

  integer, parameter :: n = 20000, m = 40
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, k, step
  integer :: status(mpi_status_size), number
  double precision :: ring(n), field(n), block(m, m), own(m, m), product(m, m)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    ring(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    field(i) = 0.0d0
  end do
  do j = 1, m
    do i = 1, m
      block(i, j) = dble(rank + i) + dble(mod(j, 5)) * 0.5d0
      own(i, j) = dble(mod(i * j, 7)) * 0.125d0
    end do
  end do
  product = 0.0d0
  do step = 1, ranks
    call mpi_sendrecv_replace(ring, n, mpi_double_precision, next, 3, prev, 3, mpi_comm_world, &
                              mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + dble(mod(i + step, 3))
    end do
    do i = 1, n
      field(i) = field(i) + ring(i)
    end do
    do j = 1, m
      do k = 1, m
        do i = 1, m
          product(i, j) = product(i, j) + own(i, k) * block(k, j)
        end do
      end do
    end do
    if (step < ranks) then
      call mpi_sendrecv_replace(block, m * m, mpi_double_precision, prev, 4, next, 4, mpi_comm_world, status, ierr)
      do i = 1, n
        field(i) = field(i) * 0.875d0
      end do
      call mpi_get_count(status, mpi_double_precision, number, ierr)
      if (number /= m * m .or. status(mpi_source) /= next) stop 1
    end if
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do
  do j = 1, m
    do i = 1, m
      checksum = checksum + product(i, j) * dble(mod(i + j, 3))
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
end program replaced_ring
