! `getpid` is declared EXTERNAL: it is no function of the compiler's library but one that is not given, and it receives a
! message in the place of the program's receive.
! expect: kept unknown-procedure
! companion: system_function_is_external_companion.f90
program system_function_is_external
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, step, got
  integer, external :: getpid
  double precision :: sbuf(n), rbuf(n), field(n)
  double precision :: checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    rbuf(i) = 0.0d0
  end do
  got = 0

  do step = 1, 4
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0 + dble(step)
    end do
    if (mod(rank, 2) == 0) then
      if (rank + 1 < ranks) then
        call mpi_send(sbuf, n, mpi_double_precision, rank + 1, 7, mpi_comm_world, ierr) ! trapped
      end if
    else if (mod(step, 2) == 0) then
      got = got + getpid(rbuf, n, rank - 1)
    else
      call mpi_recv(rbuf, n, mpi_double_precision, rank - 1, 7, mpi_comm_world, mpi_status_ignore, ierr)
    end if
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(i)
    end do
  end do

  checksum = dble(got)
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'total ', total
  call mpi_finalize(ierr)
end program system_function_is_external
