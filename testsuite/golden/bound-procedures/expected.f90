! Strips of a plate are objects with procedures of their own. Some strips are heated: they extend the plain ones and relax in
! another way. The exchange with the neighbours calls for the work through the class, whatever the strip is.
module strips
  use mpi
  implicit none
  private
  public :: strip

  type :: strip
    integer :: columns, rows
    integer :: above, below
    real(8), allocatable :: now(:, :), next(:, :)
  contains
    procedure :: make => make_strip
    procedure :: width
    procedure :: step
    procedure :: relax => relax_strip
    procedure :: heat => heat_of
    procedure, nopass :: stencil
  end type strip

contains

  subroutine make_strip(this, columns, rows, rank, processes)
    class(strip), intent(inout) :: this
    integer, intent(in) :: columns, rows, rank, processes

    this%below = merge(rank - 1, mpi_proc_null, rank > 0)
    this%above = merge(rank + 1, mpi_proc_null, rank < processes - 1)
    this%columns = columns
    this%rows = rows
    if (allocated(this%now)) deallocate (this%now, this%next)
    allocate (this%now(columns, 0:rows + 1), this%next(columns, 0:rows + 1))
    this%now = 0
    this%next = 0
  end subroutine make_strip

  integer function width(this)
    class(strip), intent(in) :: this

    width = this%columns
  end function width

  real(8) function stencil(left, right, below, above)
    real(8), intent(in) :: left, right, below, above

    stencil = 0.25d0 * (left + right + below + above)
  end function stencil

  ! All strips exchange in the same way.
  subroutine step(this)
    use gravel
    class(strip), intent(inout) :: this
    integer :: requests(4), ierr, i, j
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    ! gravel: posted here, was line 55: call mpi_irecv(this%now(1, 0), this%columns, mpi_real8, this%below,...
    call gravel_post_rcv_buffer_rdma(this%now(1, 0), this%columns, mpi_real8, this%below, 1, mpi_comm_world, &
         requests(1), ierr)
    ! gravel: posted here, was line 56: call mpi_irecv(this%now(1, this%rows + 1), this%columns, mpi_real8,...
    call gravel_post_rcv_buffer_rdma(this%now(1, this%rows + 1), this%columns, mpi_real8, this%above, 2, &
         mpi_comm_world, requests(2), ierr)
    ! gravel: sent without waiting, was line 58: call mpi_isend(this%now(1, 1), this%columns, mpi_real8, th...
    call gravel_post_send(this%now(1, 1), this%columns, mpi_real8, this%below, 2, mpi_comm_world, requests(3), &
         ierr)
    ! gravel: sent without waiting, was line 59: call mpi_isend(this%now(1, this%rows), this%columns, mpi_r...
    call gravel_post_send(this%now(1, this%rows), this%columns, mpi_real8, this%above, 1, mpi_comm_world, &
         requests(4), ierr)
    ! gravel: moved away from here, was line 61: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = this%rows - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, was line 61: call mpi_waitall(4, r...
          call gravel_wait(requests(1), this%now)
          call gravel_wait(requests(2), this%now)
          gravel_lo1 = 1
          gravel_hi1 = min(1, this%rows)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(2, this%rows)
          gravel_hi1 = this%rows
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 2, this%columns - 1
           this%next(i, j) = stencil(this%now(i - 1, j), this%now(i + 1, j), this%now(i, j - 1), this%now(i, j + 1))
         end do
       end do
    end do
    ! gravel: the wait moved here, was line 61: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), this%now)
    call gravel_wait(requests(4), this%now)
    call this%relax()
  end subroutine step

  subroutine relax_strip(this)
    class(strip), intent(inout) :: this
    integer :: i, j

    do j = 1, this%rows
      do i = 1, this%columns
        this%now(i, j) = this%next(i, j)
      end do
    end do
  end subroutine relax_strip

  real(8) function heat_of(this)
    class(strip), intent(in) :: this
    integer :: i, j

    heat_of = 0
    do j = 1, this%rows
      do i = 1, this%width()
        heat_of = heat_of + this%now(i, j) * (i + j)
      end do
    end do
  end function heat_of

end module strips

module heated_strips
  use strips
  implicit none

  type, extends(strip) :: heated_strip
    real(8) :: source = 0.125d0
  contains
    procedure :: relax => relax_heated
  end type heated_strip

contains

  subroutine relax_heated(this)
    class(heated_strip), intent(inout) :: this
    integer :: j

    do j = 1, this%rows
      this%next(3, j) = this%next(3, j) + this%source
    end do
    call this%strip%relax()
  end subroutine relax_heated

end module heated_strips

program plate
  use mpi
  use strips
  use heated_strips
  use gravel
  implicit none
  integer, parameter :: columns = 40, rows = 12, steps = 30
  type(strip) :: plain
  type(heated_strip) :: heated
  real(8) :: own(2), all(2)
  integer :: rank, processes, ierr, k, j

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  call plain%make(columns, rows, rank, processes)
  call heated%make(processes=processes, rank=rank, rows=rows / 3, columns=columns / 2)
  do j = 1, rows
    plain%now(:, j) = [(mod(7 * k + 3 * j + 5 * rank, 11), k=1, columns)]
  end do
  heated%now(5, 2) = 100 + rank
  do k = 1, steps
    call plain%step()
    call heated%step()
  end do
  own = [plain%heat(), heated%heat()]
  call mpi_reduce(own, all, 2, mpi_real8, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(2es22.14)', all
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program plate
