! Each column of the message is filled by a function that stands behind `.and.` and need not be evaluated.
! expect: without strip-mine-producer
program function_not_evaluated
  use mpi
  implicit none

  integer, parameter :: rows = 128, columns = 256
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: outgoing(rows, columns), incoming(rows, columns)
  integer :: j
  logical :: is_filled
  logical, external :: column
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  outgoing = dble(rank)
  is_filled = .true.
  do j = 1, columns
    if (mod(j, 3) == 0) is_filled = .false.
    is_filled = is_filled .and. column(outgoing(1, j), rows, j)
  end do
  if (is_filled) checksum = 1.0d0
  call mpi_isend(outgoing, rows * columns, mpi_double_precision, next, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_recv(incoming, rows * columns, mpi_double_precision, prev, 1, mpi_comm_world, status, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do j = 1, columns
    checksum = checksum + sum(incoming(:, j)) * dble(mod(j, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program function_not_evaluated

logical function column(values, length, number)
  implicit none
  integer, intent(in) :: length, number
  double precision, intent(inout) :: values(length)
  integer :: i

  do i = 1, length
    values(i) = dble(mod(i * number, 17))
  end do
  column = .true.
end function column
