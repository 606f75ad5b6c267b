! The function of a reduction reads what a message brings: MPI calls it, so the message must have come by then.
! expect: kept unsupported-operation
module halo
  implicit none
  integer, parameter :: n = 20000
  double precision :: west(n)

contains

  subroutine weighted(new, total, length, datatype)
    integer, intent(in) :: length, datatype
    double precision, intent(in) :: new(length)
    double precision, intent(inout) :: total(length)
    integer :: i

    do i = 1, length
      total(i) = total(i) + new(i) + 100*west(n)
    end do
  end subroutine weighted
end module halo

program reduction_reads_received
  use mpi
  use halo
  implicit none
  double precision :: east(n), mine, total
  integer :: rank, ranks, left, right, ierr, operation, step, request

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = merge(ranks - 1, rank - 1, rank == 0)
  right = merge(0, rank + 1, rank == ranks - 1)
  call mpi_op_create(weighted, .true., operation, ierr)
  west = 0
  do step = 1, 4
    mine = step
    east = 10*step + 1
    call mpi_isend(east, n, mpi_double_precision, right, 7, mpi_comm_world, request, ierr)
    call mpi_recv(west, n, mpi_double_precision, left, 7, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    call mpi_allreduce(mine, total, 1, mpi_double_precision, operation, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    if (rank == 0) print '(a, i3, 2f12.1)', 'step', step, total, west(n)
  end do
  call mpi_op_free(operation, ierr)
  call mpi_finalize(ierr)
end program reduction_reads_received
