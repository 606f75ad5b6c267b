! A loop that calls a subroutine for each column of the message is cut into tiles.
program rows_by_calls
  use mpi
  implicit none

  integer, parameter :: rows = 128, columns = 256
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: outgoing(rows, columns), incoming(rows, columns)
  integer :: j, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 3
    call mpi_irecv(incoming, rows * columns, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    do j = 1, columns
      call column(outgoing(1, j), rows, j, step)
    end do
    call mpi_send(outgoing, rows * columns, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do j = 1, columns
      do i = 1, rows
        checksum = checksum + incoming(i, j) * dble(mod(i + j, 7))
      end do
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
end program rows_by_calls

subroutine column(values, length, number, step)
  implicit none
  integer, intent(in) :: length, number, step
  double precision, intent(inout) :: values(length)
  integer :: i

  do i = 1, length
    values(i) = dble(mod(i * number, 17)) + dble(step)
  end do
end subroutine column
