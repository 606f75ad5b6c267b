program project
  use mpi
  use communicators
  use halo
  implicit none

  integer, parameter :: n = 20000
  double precision :: field(n), total, totals
  integer :: rank, step, i, ierr

  call set_up
  call mpi_comm_rank(world, rank, ierr)
  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 13))
  end do
  do step = 1, 4
    call pass_on(field, n, world, 1)
    call pass_on(field, n, world, 2)
  end do
  total = sum(field)
  call mpi_reduce(total, totals, 1, mpi_double_precision, mpi_sum, 0, world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'sum ', totals
  call tear_down
end program project
