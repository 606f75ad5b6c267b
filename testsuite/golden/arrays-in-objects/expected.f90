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
    use gravel
    type(field), intent(inout) :: this
    integer :: requests(4), ierr, i, j
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    ! gravel: posted here, was line 44: call mpi_irecv(this%old(:, 0), this%own%rows + 2, mpi_double_precis...
    call gravel_post_rcv_buffer_rdma(this%old(:, 0), this%own%rows + 2, mpi_double_precision, this%prev, 1, &
         mpi_comm_world, requests(1), ierr)
    ! gravel: posted here, was line 46: call mpi_irecv(this%old(:, this%own%columns + 1), this%own%rows + 2...
    call gravel_post_rcv_buffer_rdma(this%old(:, this%own%columns + 1), this%own%rows + 2, &
         mpi_double_precision, this%next, 2, mpi_comm_world, requests(2), ierr)
    ! gravel: sent without waiting, was line 48: call mpi_isend(this%old(:, this%own%columns), this%own%row...
    call gravel_post_send(this%old(:, this%own%columns), this%own%rows + 2, mpi_double_precision, this%next, &
         1, mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 50: call mpi_isend(this%old(:, 1), this%own%rows + 2, mpi_doub...
    call gravel_post_send(this%old(:, 1), this%own%rows + 2, mpi_double_precision, this%prev, 2, &
         mpi_comm_world, requests(4), ierr)
    ! gravel: moved away from here, was line 52: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 65
    gravel_hi1 = this%own%columns - mod(this%own%columns - 1, 64) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 52: call mpi_waitall(4, ...
          call gravel_wait(requests(1), this%old)
          call gravel_wait(requests(2), this%old)
          gravel_lo1 = 1
          gravel_hi1 = min(64, this%own%columns)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(65, this%own%columns - mod(this%own%columns - 1, 64))
          gravel_hi1 = this%own%columns
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, this%own%rows
           this%new(i, j) = this%weight * (this%old(i - 1, j) + this%old(i + 1, j) + this%old(i, j - 1) &
                                           + this%old(i, j + 1))
         end do
       end do
    end do
    ! gravel: the wait moved here, was line 52: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), this%old)
    call gravel_wait(requests(4), this%old)
    do j = 1, this%own%columns
      do i = 1, this%own%rows
        this%old(i, j) = this%new(i, j)
      end do
    end do
  end subroutine smooth

  ! The line is received while the field, another component, is filled.
  subroutine pass(this)
    use gravel
    class(field), intent(inout) :: this
    double precision :: outgoing(4000)
    integer :: request, ierr, i
    integer(gravel_request_kind) :: gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    ! gravel: one handshake, a put per tile, was line 76: call mpi_send(outgoing, 4000, mpi_double_precisio...
    call gravel_wait_rcv_buffer(outgoing, 4000, mpi_double_precision, this%next, 3, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, 4000)
    do gravel_lo1 = 1, 4000, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, 4000 - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = this%line(i) + 0.5d0 * dble(mod(i, 5))
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: posted here, was line 75: call mpi_irecv(this%line(1), 4000, mpi_double_precision, this%prev,...
    call gravel_post_rcv_buffer_rdma(this%line(1), 4000, mpi_double_precision, this%prev, 3, mpi_comm_world, &
         request, ierr)
    ! gravel: sent tile by tile above, was line 76: call mpi_send(outgoing, 4000, mpi_double_precision, thi...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 77: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    do i = 1, this%own%columns
      this%new(1, i) = this%new(1, i) + this%weight
    end do
    ! gravel: the wait moved here, was line 77: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, this%line)
    do i = 1, 4000
      this%line(i) = 2.0d0 * this%weight * this%line(i)
    end do
    ! gravel: the wait moved here, was line 76: call mpi_send(outgoing, 4000, mpi_double_precision, this%ne...
    call gravel_wait(gravel_s1, outgoing)
  end subroutine pass

end module fields

program arrays_in_objects
  use mpi
  use fields
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  type(field) :: ours
  integer :: ierr, rank, ranks, i, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program arrays_in_objects
