! The stride of a datatype is the number of elements of another one, which is made only where it is positive; here it is not, and
! the elements lie before the one that is named as the buffer, from where the loop behind the wait reads.
! expect: in-place
program datatype_stride_counted_elsewhere
  use mpi
  implicit none

  integer, parameter :: nx = 60, ny = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request, column, other, stride
  double precision :: u(2*ny), w(2*ny)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, 2*ny
    u(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    w(i) = dble(rank + 1) - dble(mod(i * 5, 29)) * 0.125d0
  end do
  stride = -2
  if (command_argument_count() > 5) stride = ranks
  if (stride > 0) then
    call mpi_type_contiguous(stride, mpi_double_precision, other, ierr)
  end if
  call mpi_type_vector(ny, 1, stride, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  call mpi_irecv(u(2*ny), 1, column, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(w(2*ny), 1, column, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = 0.0d0
  do i = 1, 2*ny - 1
    checksum = checksum + u(i) * dble(mod(i, 13))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_stride_counted_elsewhere
