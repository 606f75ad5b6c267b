! Rows and columns of a grid of processes, with the types of mpi_f08.
program cartesian_mpi_f08
  use mpi_f08
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  double precision :: sbuf(n), rbuf(n)
  type(mpi_comm) :: grid, row, column
  integer :: dims(2), step, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  dims = 0
  call mpi_dims_create(ranks, 2, dims)
  call mpi_cart_create(mpi_comm_world, 2, dims, [.true., .true.], .false., grid)
  call mpi_cart_sub(grid, [.true., .false.], column)
  call mpi_cart_sub(grid, [.false., .true.], row)
  do step = 1, 2
    call shift(row, 1)
    call shift(column, 2)
  end do
  call mpi_comm_free(row)
  call mpi_comm_free(column)
  call mpi_comm_free(grid)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine shift(comm, tag)
    type(mpi_comm), intent(in) :: comm
    integer, intent(in) :: tag
    type(mpi_request) :: request
    integer :: to, from, i

    call mpi_cart_shift(comm, 0, 1, from, to)
    call mpi_irecv(rbuf, n, mpi_double_precision, from, tag, comm, request)
    do i = 1, n
      sbuf(i) = dble(rank + tag) * dble(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, to, tag, comm)
    call mpi_wait(request, mpi_status_ignore)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end subroutine shift

end program cartesian_mpi_f08
