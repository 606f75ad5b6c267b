! Compilers compute most iterations of a loop with vector versions of sine and exponential, whose last bits differ, and the
! rest with scalar ones: a loop with such functions, or around calls with them, is not computed in parts.
! expect: without strip-mine-producer
program elementary_function_in_tiles
  use mpi
  implicit none

  integer, parameter :: n = 500
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, j, step
  double precision :: sbuf(n, 0:max_ranks-1), rbuf(n, 0:max_ranks-1)
  double precision :: line(20*n), from_left(20*n)
  double precision :: total, totals(max_ranks)
  integer :: request

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  total = 0
  do step = 1, 3
    do j = 0, ranks - 1
      do i = 1, n
        sbuf(i, j) = sin(dble(i*(j + 2)))*(rank + step)
      end do
    end do
    call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_double_precision, mpi_comm_world, ierr) ! trapped
    do j = 0, ranks - 1
      do i = 1, n
        total = total + rbuf(i, j)*i
      end do
    end do
  end do

  call mpi_irecv(from_left, 20*n, mpi_double_precision, mod(rank + ranks - 1, ranks), 1, mpi_comm_world, request, ierr)
  do i = 1, 20*n
    call decay(line(i), i)
  end do
  call mpi_send(line, 20*n, mpi_double_precision, mod(rank + 1, ranks), 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, 20*n
    total = total + from_left(i)
  end do

  call mpi_gather(total, 1, mpi_double_precision, totals, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(4es24.16)', totals(1:ranks)
  call mpi_finalize(ierr)

contains

  subroutine decay(value, position)
    double precision, intent(out) :: value
    integer, intent(in) :: position
    value = exp(-1.0d-4*position)
  end subroutine decay
end program elementary_function_in_tiles
