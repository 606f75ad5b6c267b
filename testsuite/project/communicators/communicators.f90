! The communicators of the program.
module communicators
  use mpi
  implicit none
  private
  public :: world, set_up, tear_down

  integer :: world

contains

  subroutine set_up
    integer :: ierr

    call mpi_init(ierr)
    call mpi_comm_dup(mpi_comm_world, world, ierr)
  end subroutine set_up

  subroutine tear_down
    integer :: ierr

    call mpi_comm_free(world, ierr)
    call mpi_finalize(ierr)
  end subroutine tear_down

end module communicators
