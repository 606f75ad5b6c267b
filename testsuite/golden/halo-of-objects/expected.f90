! Heat on a strip of a plate: each process has an object with its part of the field and a row of its neighbours on either
! side. The object's arrays have extents that the object knows.
module strips
  use mpi
  implicit none
  private
  public :: strip, make_strip, free_strip, step, heat_of

  type :: strip
    integer :: columns, rows
    integer :: above, below
    real(8), allocatable :: now(:, :), next(:, :)
  end type

contains

  subroutine make_strip(this, columns, rows, rank, processes)
    type(strip), intent(inout) :: this
    integer, intent(in) :: columns, rows, rank, processes

    this%below = merge(rank - 1, mpi_proc_null, rank > 0)
    this%above = merge(rank + 1, mpi_proc_null, rank < processes - 1)
    this%columns = columns
    this%rows = rows
    if (allocated(this%now)) deallocate (this%now, this%next)
    allocate (this%now(columns, 0:rows + 1), this%next(columns, 0:rows + 1))
    this%now = 0
    this%next = 0
  end subroutine

  subroutine free_strip(this)
    type(strip), intent(inout) :: this

    deallocate (this%now, this%next)
  end subroutine

  subroutine step(this)
    use gravel
    type(strip), intent(inout) :: this
    integer :: requests(4), ierr, i, j
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    ! gravel: posted here, was line 41: call mpi_irecv(this%now(1, 0), this%columns, mpi_real8, this%below,...
    call gravel_post_rcv_buffer_rdma(this%now(1, 0), this%columns, mpi_real8, this%below, 1, mpi_comm_world, &
         requests(1), ierr)
    ! gravel: posted here, was line 42: call mpi_irecv(this%now(1, this%rows + 1), this%columns, mpi_real8,...
    call gravel_post_rcv_buffer_rdma(this%now(1, this%rows + 1), this%columns, mpi_real8, this%above, 2, &
         mpi_comm_world, requests(2), ierr)
    ! gravel: sent without waiting, was line 43: call mpi_isend(this%now(1, 1), this%columns, mpi_real8, th...
    call gravel_post_send(this%now(1, 1), this%columns, mpi_real8, this%below, 2, mpi_comm_world, requests(3), &
         ierr)
    ! gravel: sent without waiting, was line 44: call mpi_isend(this%now(1, this%rows), this%columns, mpi_r...
    call gravel_post_send(this%now(1, this%rows), this%columns, mpi_real8, this%above, 1, mpi_comm_world, &
         requests(4), ierr)
    ! gravel: moved away from here, was line 45: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iteration
    gravel_lo1 = 2
    gravel_hi1 = this%rows - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iteration, was line 45: call mpi_waitall(4, r...
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
           this%next(i, j) = 0.25d0*(this%now(i - 1, j) + this%now(i + 1, j) + this%now(i, j - 1) + this%now(i, j + 1))
         end do
       end do
    end do
    ! gravel: the wait moved here, was line 45: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), this%now)
    call gravel_wait(requests(4), this%now)
    do j = 1, this%rows
      do i = 1, this%columns
        this%now(i, j) = this%next(i, j)
      end do
    end do
  end subroutine

  real(8) function heat_of(this)
    type(strip), intent(in) :: this
    integer :: i, j

    heat_of = 0
    do j = 1, this%rows
      do i = 1, this%columns
        heat_of = heat_of + this%now(i, j)*(i + j)
      end do
    end do
  end function

end module

program heat
  use mpi
  use strips
  use gravel
  implicit none
  integer, parameter :: columns = 40, rows = 12, steps = 30
  type(strip) :: plate, small
  real(8) :: own, all(2)
  integer :: rank, processes, ierr, k, j

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  call make_strip(plate, columns, rows, rank, processes)
  call make_strip(small, columns/2, rows/3, rank, processes)
  do j = 1, rows
    plate%now(:, j) = [(mod(7*k + 3*j + 5*rank, 11), k = 1, columns)]
  end do
  small%now(5, 2) = 100 + rank
  do k = 1, steps
    call step(plate)
    call step(small)
  end do
  own = heat_of(plate)
  call mpi_reduce(own, all(1), 1, mpi_real8, mpi_sum, 0, mpi_comm_world, ierr)
  own = heat_of(small)
  call mpi_reduce(own, all(2), 1, mpi_real8, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(2es22.14)', all
  call free_strip(plate)
  call free_strip(small)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program
