! Fields are objects, whose arrays and extents are components, as object-oriented codes keep them.
module fields
  use mpi
  implicit none

  type :: extents
    integer :: columns, rows
  end type extents

  type :: field
    type(extents) :: own
    integer :: next, prev
    double precision :: weight
    double precision, allocatable :: old(:, :), new(:, :)
    double precision :: line(0:4001)
  end type field

contains

  subroutine set_up(this, columns, rows, next, prev)
    type(field), intent(inout) :: this
    integer, intent(in) :: columns, rows, next, prev
    integer :: i, j

    this%own%columns = columns
    this%own%rows = rows
    this%next = next
    this%prev = prev
    this%weight = 0.25d0
    allocate (this%old(0:rows + 1, 0:columns + 1), this%new(0:rows + 1, 0:columns + 1))
    this%new = 0.0d0
    do j = 0, columns + 1
      do i = 0, rows + 1
        this%old(i, j) = dble(mod(3 * i + 7 * j + prev, 17))
      end do
    end do
    this%line = 1.0d0
  end subroutine set_up

  subroutine smooth(this)
    type(field), intent(inout) :: this
    integer :: requests(4), ierr, i, j

    call mpi_irecv(this%old(:, 0), this%own%rows + 2, mpi_double_precision, this%prev, 1, mpi_comm_world, &
                   requests(1), ierr)
    call mpi_irecv(this%old(:, this%own%columns + 1), this%own%rows + 2, mpi_double_precision, this%next, 2, &
                   mpi_comm_world, requests(2), ierr)
    call mpi_isend(this%old(:, this%own%columns), this%own%rows + 2, mpi_double_precision, this%next, 1, &
                   mpi_comm_world, requests(3), ierr)
    call mpi_isend(this%old(:, 1), this%own%rows + 2, mpi_double_precision, this%prev, 2, mpi_comm_world, &
                   requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    do j = 1, this%own%columns
      do i = 1, this%own%rows
        this%new(i, j) = this%weight * (this%old(i - 1, j) + this%old(i + 1, j) + this%old(i, j - 1) &
                                        + this%old(i, j + 1))
      end do
    end do
    do j = 1, this%own%columns
      do i = 1, this%own%rows
        this%old(i, j) = this%new(i, j)
      end do
    end do
  end subroutine smooth

  ! The line is received while the field, another component, is filled.
  subroutine pass(this)
    class(field), intent(inout) :: this
    double precision :: outgoing(4000)
    integer :: request, ierr, i

    do i = 1, 4000
      outgoing(i) = this%line(i) + 0.5d0 * dble(mod(i, 5))
    end do
    call mpi_irecv(this%line(1), 4000, mpi_double_precision, this%prev, 3, mpi_comm_world, request, ierr)
    call mpi_send(outgoing, 4000, mpi_double_precision, this%next, 3, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, this%own%columns
      this%new(1, i) = this%new(1, i) + this%weight
    end do
    do i = 1, 4000
      this%line(i) = 2.0d0 * this%weight * this%line(i)
    end do
  end subroutine pass

end module fields

program arrays_in_objects
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  type(field) :: ours
  integer :: ierr, rank, ranks, i, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call set_up(ours, 300, 400, mod(rank + 1, ranks), mod(rank - 1 + ranks, ranks))
  do step = 1, 10
    call smooth(ours)
    call pass(ours)
  end do
  checksum = sum(ours%old(1:400, 1:300)) + sum(ours%line) + sum(ours%new(1, :))

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program arrays_in_objects
