! A column with gaps is replaced by that of the neighbour: it is sent from a copy, for what comes in its place may be faster, and
! what lies between its elements is computed meanwhile.
! expect: handled
! ranks: 1 2 3 4
program replaced_column
  use mpi
  implicit none

  integer, parameter :: n = 300, m = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, column, i, j, step
  integer :: status(mpi_status_size)
  double precision :: u(n, m), v(n, m)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_type_vector(m, 1, n, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  do j = 1, m
    do i = 1, n
      u(i, j) = dble(mod(i * j, 17) + rank)
      v(i, j) = 0.0d0
    end do
  end do
  checksum = 0.0d0
  do step = 1, 5
    call mpi_sendrecv_replace(u(2, 1), 1, column, next, 4, prev, 4, mpi_comm_world, status, ierr) ! trapped
    do j = 1, m
      do i = 10, n
        v(i, j) = v(i, j) + 0.5d0 * u(i, j)
      end do
    end do
    do j = 1, m
      do i = 10, n
        u(i, j) = u(i, j) + 0.25d0 * v(i, j)
      end do
    end do
    do j = 1, m
      checksum = checksum + u(2, j) * dble(mod(j, 5)) + dble(status(mpi_source))
    end do
  end do
  do j = 1, m
    do i = 1, n
      checksum = checksum + u(i, j) * dble(mod(i + j, 3))
    end do
  end do
  call mpi_type_free(column, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program replaced_column
