! A chain without wrap-around: a neighbour of -1 is none, and every call is guarded by it.
program guarded_neighbours
  use mpi
  implicit none

  integer, parameter :: east_bound = 31, west_bound = 32
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, step
  integer :: status(mpi_status_size)
  double precision :: to_east(n), to_west(n), from_east(n), from_west(n), field(n)
  integer :: east, west, east_request, west_request
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  east = rank + 1
  west = rank - 1
  if (rank == ranks - 1) east = -1
  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 37))
  end do

  do step = 1, 3
    if (west /= -1) call mpi_irecv(from_west, n, mpi_double_precision, west, east_bound, &
                                   mpi_comm_world, west_request, ierr)
    if (east /= -1) call mpi_irecv(from_east, n, mpi_double_precision, east, west_bound, &
                                   mpi_comm_world, east_request, ierr)
    if (east /= -1) then
      do i = 1, n
        to_east(i) = field(i) + dble(step)
      end do
      call mpi_send(to_east, n, mpi_double_precision, east, east_bound, mpi_comm_world, ierr)
    end if
    if (west /= -1) then
      do i = 1, n
        to_west(i) = field(i) - dble(step)
      end do
      call mpi_send(to_west, n, mpi_double_precision, west, west_bound, mpi_comm_world, ierr)
    end if
    if (west /= -1) then
      call mpi_wait(west_request, status, ierr)
      do i = 1, n
        field(i) = field(i) + 0.25d0 * from_west(i)
      end do
    end if
    if (east /= -1) then
      call mpi_wait(east_request, status, ierr)
      do i = 1, n
        field(i) = field(i) + 0.125d0 * from_east(i)
      end do
    end if
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program guarded_neighbours
