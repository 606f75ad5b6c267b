! Strips of a channel that is closed to a ring: what they are, and what can be done with them. How is said in submodules.
module strips
  use mpi
  implicit none
  private
  public :: dp, strip, make, advance, deviation

  integer, parameter :: dp = kind(1.0d0)

  type :: strip
    integer :: columns, rows
    integer :: rank, ranks
    integer :: before, behind
    real(dp), allocatable :: now(:, :), next(:, :)
  end type strip

  ! Where a row goes.
  integer, parameter :: upstream = 1, downstream = 2

  interface
    module subroutine make(this, columns, rows)
      type(strip), intent(out) :: this
      integer, intent(in) :: columns, rows
    end subroutine make

    module subroutine advance(this)
      type(strip), intent(inout) :: this
    end subroutine advance

    ! The largest difference from the exact solution after `steps` steps, on all ranks.
    module function deviation(this, steps) result(largest)
      type(strip), intent(in) :: this
      integer, intent(in) :: steps
      real(dp) :: largest
    end function deviation
  end interface

end module strips
