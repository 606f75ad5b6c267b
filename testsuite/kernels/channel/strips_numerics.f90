! Everything but the step itself: the beginning, the end, and the exact solution. Taking the mean of the rows on both sides
! damps a wave by the cosine of its length per row, to the last digit or so.
submodule (strips) numerics
  implicit none

  real(dp), parameter :: pi = acos(-1.0_dp)

  interface
    module subroutine take_over(now, next, columns, rows)
      integer, intent(in) :: columns, rows
      real(dp), intent(inout) :: now(:, 0:)
      real(dp), intent(in) :: next(:, 0:)
    end subroutine take_over
  end interface

contains

  module procedure make
    integer :: ierr, j

    call mpi_comm_rank(mpi_comm_world, this%rank, ierr)
    call mpi_comm_size(mpi_comm_world, this%ranks, ierr)
    this%before = mod(this%rank - 1 + this%ranks, this%ranks)
    this%behind = mod(this%rank + 1, this%ranks)
    this%columns = columns
    this%rows = rows
    allocate (this%now(columns, 0:rows + 1), this%next(columns, 0:rows + 1))
    do j = 0, rows + 1
      this%now(:, j) = wave(this, j)
      this%next(:, j) = 0
    end do
  end procedure make

  module subroutine take_over(now, next, columns, rows)
    integer, intent(in) :: columns, rows
    real(dp), intent(inout) :: now(:, 0:)
    real(dp), intent(in) :: next(:, 0:)
    integer :: i, j

    do j = 1, rows
      do i = 1, columns
        now(i, j) = next(i, j)
      end do
    end do
  end subroutine take_over

  module procedure deviation
    real(dp) :: own, factor
    integer :: ierr, j

    factor = cos(2 * pi / (this%rows * this%ranks))**steps
    own = 0
    do j = 1, this%rows
      own = max(own, maxval(abs(this%now(:, j) - factor * wave(this, j))))
    end do
    call mpi_allreduce(own, largest, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  end procedure deviation

  pure real(dp) function wave(this, row)
    type(strip), intent(in) :: this
    integer, intent(in) :: row

    wave = cos(2 * pi * (this%rank * this%rows + row) / (this%rows * this%ranks))
  end function wave

end submodule numerics
