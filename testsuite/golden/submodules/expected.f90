! What a line of cells can do is declared in a module; how it does that stands in submodules of it, one of which extends another
! one. Calls reach the bodies, which see what the module keeps to itself.
module lines
  use mpi
  implicit none
  private
  public :: begin_line, step, total

  integer, parameter :: n = 6000
  double precision :: cells(0:n + 1), fresh(0:n + 1), weights(n)
  integer :: left, right

  interface
    module subroutine begin_line(rank, ranks)
      integer, intent(in) :: rank, ranks
    end subroutine begin_line

    module subroutine step(count)
      integer, intent(in) :: count
    end subroutine step

    module function total() result(sum_of_all)
      double precision :: sum_of_all
    end function total

    module subroutine weigh(values, length)
      integer, intent(in) :: length
      double precision, intent(inout) :: values(length)
    end subroutine weigh
  end interface

end module lines

submodule (lines) numerics
  implicit none
  integer :: steps = 0

  interface
    module subroutine first_cell(value)
      double precision, intent(inout) :: value
    end subroutine first_cell
  end interface

contains

  module procedure begin_line
    integer :: i

    left = merge(rank - 1, mpi_proc_null, rank > 0)
    right = merge(rank + 1, mpi_proc_null, rank < ranks - 1)
    do i = 0, n + 1
      cells(i) = mod(i * (rank + 3), 17)
      fresh(i) = 0
    end do
  end procedure begin_line

  module subroutine weigh(values, length)
    integer, intent(in) :: length
    double precision, intent(inout) :: values(length)
    integer :: i

    do i = 1, length
      values(i) = 0.5d0 + 0.25d0 * mod(i + steps, 3)
    end do
    steps = steps + 1
  end subroutine weigh

  module procedure total
    integer :: i

    sum_of_all = 0
    do i = 1, n
      sum_of_all = sum_of_all + cells(i) * mod(i, 5)
    end do
  end procedure total

end submodule numerics

submodule (lines:numerics) exchange
  implicit none

contains

  module procedure step
    use gravel
    integer :: k, i, request, ierr
    double precision :: border
    integer(gravel_request_kind) :: gravel_r1
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    do k = 1, count
      border = cells(n)
      ! gravel: sent without waiting, was line 90: call mpi_isend(border, 1, mpi_double_precision, right, 1...
      call gravel_post_send(border, 1, mpi_double_precision, right, 1, mpi_comm_world, request, ierr)
      ! Neither this nor what it changes looks at the cells.
      ! gravel: posted early, was line 93: call first_cell(cells(0))
      call gravel_post_rcv_buffer_rdma(cells(0), 1, mpi_double_precision, left, 1, mpi_comm_world, gravel_r1)
      call weigh(weights, n)
      ! gravel: moved away from here, was line 93: call first_cell(cells(0))
      ! gravel: the iterations inside, then the wait, then the first and the last iterations
      gravel_lo1 = 65
      gravel_hi1 = n - mod(n - 1, 64) - 1
      do gravel_part1 = 1, 3
         if (gravel_part1 == 2) then
            ! gravel: waits here, before the first and the last iterations, was line 93: call first_cell(ce...
            call gravel_wait(gravel_r1, cells)
            gravel_lo1 = 1
            gravel_hi1 = min(64, n)
         else if (gravel_part1 == 3) then
            gravel_lo1 = max(65, n - mod(n - 1, 64))
            gravel_hi1 = n
         end if
         do i = gravel_lo1, gravel_hi1
           fresh(i) = weights(i) * cells(i) + (1 - weights(i)) * cells(i - 1)
         end do
      end do
      ! gravel: moved away from here, was line 97: call mpi_wait(request, mpi_status_ignore, ierr)
      ierr = 0
      do i = 1, n
        cells(i) = fresh(i)
      end do
      ! gravel: the wait moved here, was line 97: call mpi_wait(request, mpi_status_ignore, ierr)
      call gravel_wait(request, border)
    end do
  end procedure step

  module procedure first_cell
    integer :: ierr

    call mpi_recv(value, 1, mpi_double_precision, left, 1, mpi_comm_world, mpi_status_ignore, ierr)
  end procedure first_cell

end submodule exchange

program line
  use mpi
  use lines
  use gravel
  implicit none
  integer :: ierr, rank, ranks
  double precision :: own, all

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call begin_line(rank, ranks)
  call step(12)
  own = total()
  call mpi_reduce(own, all, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(es22.14)', all
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program line
