! A subroutine is handed an array, its extents and the datatype of its columns. All its callers made it of these extents, which
! are read: so it knows which elements come, and sums up the others first.
program datatypes_handed_down
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, nx, ny, step, column
  double precision, allocatable :: u(:, :)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  nx = 70
  ny = 90
  call mpi_bcast(nx, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_bcast(ny, 1, mpi_integer, 0, mpi_comm_world, ierr)
  allocate (u(0:nx+1, 0:ny+1))
  call make_column(nx, ny, column)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  checksum = 0.0d0
  do step = 1, 3
    call exchange(u, nx, ny, column, next, prev, checksum)
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
contains
  subroutine make_column(columns, rows, made)
    integer, intent(in) :: columns, rows
    integer, intent(out) :: made
    integer :: error
    call mpi_type_vector(rows, 1, columns + 2, mpi_double_precision, made, error)
    call mpi_type_commit(made, error)
  end subroutine make_column

  subroutine exchange(field, columns, rows, column_type, next, prev, total)
    integer, intent(in) :: columns, rows, column_type, next, prev
    double precision, intent(inout) :: field(0:columns+1, 0:rows+1), total
    integer :: i, j, error
    call mpi_sendrecv(field(columns, 1), 1, column_type, next, 1, field(0, 1), 1, column_type, prev, 1, &
                      mpi_comm_world, mpi_status_ignore, error)
    do j = 1, rows
      do i = 1, columns
        total = total + field(i, j) * dble(mod(i + 2*j, 13))
      end do
    end do
    do j = 1, rows
      total = total + field(0, j) * dble(mod(j, 7))
    end do
  end subroutine exchange
end program datatypes_handed_down
