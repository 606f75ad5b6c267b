! The buffer is an assumed-shape dummy argument, and the caller passes a row of a matrix: what looks
! like a whole array is copied in and out around the call.
! expect: kept unsupported-buffer
program assumed_shape_buffer
  use mpi
  implicit none

  integer, parameter :: n = 5000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: matrix(4, n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    matrix(:, i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call pass_on(matrix(2, :))
  call mpi_wait(request, status, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + matrix(2, i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine pass_on(row)
    double precision, intent(inout) :: row(:)
    integer :: m

    do m = 1, size(row)
      row(m) = row(m) + 0.5d0
    end do
    call mpi_send(row, size(row), mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  end subroutine pass_on

end program assumed_shape_buffer
