! The buffer is a section with gaps, of which a copy is passed: the datatype takes its elements from there.
! expect: kept unsupported-buffer
program datatype_of_section
  use mpi
  implicit none

  integer, parameter :: nx = 60, ny = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j
  integer :: column
  double precision :: u(0:nx+1, 0:ny+1)
  double precision :: w(0:nx+1, 0:ny+1)
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
  w = u
  call mpi_type_vector(ny, 1, nx, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  call mpi_sendrecv(w(1:nx, 1:ny), 1, column, next, 1, u(0, 1), ny, mpi_double_precision, prev, 1, & ! trapped
                    mpi_comm_world, mpi_status_ignore, ierr)
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
    end do
  end do
  do j = 1, ny
    checksum = checksum + u(0, j) * dble(mod(j, 7)) + u(nx + 1, j) * dble(mod(j, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_of_section
