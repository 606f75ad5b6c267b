! Messages are made of numbers on some processes and of bytes on others: a part of one is no part of the other.
! expect: kept unsupported-datatype
program datatype_of_bytes_or_reals
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer :: ierr, rank, processes, i, request, element, length, step
  double precision :: sent(n), received(n), total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  if (processes > 0) then
    element = mpi_byte
    length = n
  else
    element = mpi_double_precision
    length = n
  end if
  received = -1
  total = 0
  do step = 1, 2
    call mpi_irecv(received, length, element, mod(rank + processes - 1, processes), 3, mpi_comm_world, request, ierr) ! trapped
    do i = 1, n
      sent(i) = dble(mod(i, 13) + rank + step)
    end do
    call mpi_send(sent, length, element, mod(rank + 1, processes), 3, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do i = 1, n
      total = total + dble(step) * received(i)
    end do
  end do
  print *, rank, total
  call mpi_finalize(ierr)
end program datatype_of_bytes_or_reals
