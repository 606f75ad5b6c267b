! The procedure that alltoall_unknown_procedure.f90 calls; it is compiled and linked, but never given to the
! transformation.
subroutine swap_blocks(from, to, length)
  use mpi
  implicit none
  integer, intent(in) :: length
  double precision, intent(in) :: from(*)
  double precision, intent(inout) :: to(*)
  integer :: ierr

  call mpi_alltoall(from, length, mpi_double_precision, to, length, mpi_double_precision, mpi_comm_world, ierr)
end subroutine swap_blocks
