! A procedure is handed the datatype and the extents of the array: of one call these are others than those that the datatype
! was made of.
! expect: without sink-wait
program datatype_handed_down
  use mpi
  implicit none

  integer, parameter :: nx = 60, ny = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j
  integer :: column
  double precision :: u(0:nx+1, 0:ny+1)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  call mpi_type_vector(ny, 1, nx + 2, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  checksum = 0.0d0
  call exchange(u, nx, ny, column, next, prev, checksum)
  call exchange(u, 2*nx + 2, ny / 2 - 1, column, next, prev, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_handed_down

subroutine exchange(field, columns, rows, kind_of_column, next, prev, checksum)
  use mpi
  implicit none
  integer, intent(in) :: columns, rows, next, prev
  integer, intent(in) :: kind_of_column
  double precision, intent(inout) :: field(0:columns+1, 0:rows+1), checksum
  integer :: i, j, ierr, request
  call mpi_irecv(field(0, 0), 1, kind_of_column, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(field(2, 1), 1, kind_of_column, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  do j = 1, rows
    do i = 3, columns
      checksum = checksum + field(i, j) * dble(mod(i + 2*j, 13))
    end do
  end do
  do j = 1, rows
    checksum = checksum + field(0, j) * dble(mod(j, 7))
  end do
end subroutine exchange
