! The function that system_function_is_external.f90 calls; it is compiled and linked, but never given to the transformation.
integer function getpid(values, length, from)
  use mpi
  implicit none
  integer, intent(in) :: length, from
  double precision, intent(out) :: values(length)
  integer :: ierr

  call mpi_recv(values, length, mpi_double_precision, from, 7, mpi_comm_world, mpi_status_ignore, ierr)
  getpid = 1
end function getpid
