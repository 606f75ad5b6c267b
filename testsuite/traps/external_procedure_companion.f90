! The procedure that external_procedure.f90 calls; it is compiled and linked, but never given to
! the transformation.
subroutine greet(message, length, dest)
  use mpi
  implicit none
  integer, intent(in) :: length, dest
  double precision, intent(in) :: message(length)
  integer :: ierr

  call mpi_send(message, length, mpi_double_precision, dest, 1, mpi_comm_world, ierr)
end subroutine greet
