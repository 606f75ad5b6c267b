! The outermost columns of a field are exchanged: what is sent and what is received are parts of one
! array, and apart.
program sendrecv_ghost_cells
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step
  integer, parameter :: width = 20000, height = 5
  double precision :: field(width, 0:height + 1), update(width, height)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, height + 1
    do i = 1, width
      field(i, j) = dble(rank + 1) + dble(mod(i + j, 41)) * 0.25d0
    end do
  end do
  do step = 1, 3
    call mpi_sendrecv(field(1, height), width, mpi_double_precision, next, 1, &
                      field(1, 0), width, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
    call mpi_sendrecv(field(1, 1), width, mpi_double_precision, prev, 2, &
                      field(1, height + 1), width, mpi_double_precision, next, 2, mpi_comm_world, mpi_status_ignore, ierr)
    do j = 2, height - 1
      do i = 1, width
        update(i, j) = 0.5d0 * field(i, j) + 0.25d0 * (field(i, j - 1) + field(i, j + 1))
      end do
    end do
    do i = 1, width
      update(i, 1) = 0.5d0 * field(i, 1) + 0.25d0 * (field(i, 0) + field(i, 2))
      update(i, height) = 0.5d0 * field(i, height) + 0.25d0 * (field(i, height - 1) + field(i, height + 1))
    end do
    do j = 1, height
      do i = 1, width
        field(i, j) = update(i, j)
      end do
    end do
  end do
  checksum = 0.0d0
  do j = 1, height
    do i = 1, width
      checksum = checksum + field(i, j) * dble(mod(i + 2 * j, 9))
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
end program sendrecv_ghost_cells
