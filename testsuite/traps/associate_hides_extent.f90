! An extent of the array that is sent in tiles has a name that means something else at the send.
! expect: without strip-mine-producer
program associate_hides_extent
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request
  integer :: status(mpi_status_size)
  double precision :: rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call fill_and_send(100, n / 100)
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
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

  subroutine fill_and_send(rows, columns)
    integer, intent(in) :: rows, columns
    double precision :: sbuf(rows, columns)
    integer :: row, column, all_rows

    all_rows = rows
    associate (rows => columns / 2, columns => columns)
      do column = 1, columns
        do row = 1, all_rows
          sbuf(row, column) = dble(rank + rows) * dble(mod(row + column, 9))
        end do
      end do
      call mpi_send(sbuf, all_rows * columns, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    end associate
  end subroutine fill_and_send

end program associate_hides_extent
