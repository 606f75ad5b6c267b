! Where the blocks of the datatype lie comes from another process, and may be before the buffer.
! expect: in-place
program datatype_indexed_by_others
  use mpi
  implicit none

  integer, parameter :: nx = 60, ny = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j
  integer :: request, column
  integer :: places(4)
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
  places = [-3, 0, 9, 40]
  call mpi_bcast(places, 4, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_type_create_indexed_block(4, 3, places, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  call mpi_irecv(u(5, 7), 1, column, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(u(5, 100), 1, column, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
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
end program datatype_indexed_by_others
