! Fields are objects whose procedures give their components short names by ASSOCIATE, and keep work arrays in BLOCK.
module fields
  use mpi
  implicit none

  type :: field
    integer :: columns, rows, next, prev
    double precision :: weight
    double precision, allocatable :: old(:, :), new(:, :)
    double precision :: line(0:4001)
  contains
    procedure :: set_up
    procedure :: smooth
    procedure :: pass
    procedure :: exchange_slope
  end type field

  type, extends(field) :: sloped_field
    double precision :: slope(4000), slope_of_next(4000)
  end type sloped_field

contains

  subroutine set_up(this, columns, rows, next, prev)
    class(field), intent(inout) :: this
    integer, intent(in) :: columns, rows, next, prev
    integer :: i, j

    this%columns = columns
    this%rows = rows
    this%next = next
    this%prev = prev
    this%weight = 0.25d0
    allocate (this%old(0:rows + 1, 0:columns + 1), this%new(0:rows + 1, 0:columns + 1))
    associate (u => this%old)
      do j = 0, columns + 1
        do i = 0, rows + 1
          u(i, j) = dble(mod(3 * i + 7 * j + prev, 17))
        end do
      end do
    end associate
    this%new = 0.0d0
    this%line = 1.0d0
  end subroutine set_up

  subroutine smooth(this)
    use gravel
    class(field), intent(inout) :: this
    integer :: requests(4), ierr, i, j
    integer :: gravel_lo1, gravel_hi1, gravel_part1

    associate (u => this%old, v => this%new, rows => this%rows, columns => this%columns, &
               next => this%next, prev => this%prev, height => this%rows + 2, world => mpi_comm_world)
      ! gravel: posted here, was line 52: call mpi_irecv(u(:, 0), height, mpi_double_precision, prev, 1, wo...
      call gravel_post_rcv_buffer_rdma(u(:, 0), height, mpi_double_precision, prev, 1, world, requests(1), &
           ierr)
      ! gravel: posted here, was line 53: call mpi_irecv(u(:, columns + 1), height, mpi_double_precision, n...
      call gravel_post_rcv_buffer_rdma(u(:, columns + 1), height, mpi_double_precision, next, 2, world, &
           requests(2), ierr)
      ! gravel: sent without waiting, was line 54: call mpi_isend(u(:, columns), height, mpi_double_precisi...
      call gravel_post_send(u(:, columns), height, mpi_double_precision, next, 1, world, requests(3), ierr)
      ! gravel: sent without waiting, was line 55: call mpi_isend(u(:, 1), height, mpi_double_precision, pr...
      call gravel_post_send(u(:, 1), height, mpi_double_precision, prev, 2, world, requests(4), ierr)
      ! gravel: moved away from here, was line 56: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
      ierr = 0
      ! gravel: the iterations inside, then the wait, then the first and the last iteration
      gravel_lo1 = 2
      gravel_hi1 = columns - 1
      do gravel_part1 = 1, 3
         if (gravel_part1 == 2) then
            ! gravel: waits here, before the first and the last iteration, was line 56: call mpi_waitall(4,...
            call gravel_wait(requests(1), this%old)
            call gravel_wait(requests(2), this%old)
            gravel_lo1 = 1
            gravel_hi1 = min(1, columns)
         else if (gravel_part1 == 3) then
            gravel_lo1 = max(2, columns)
            gravel_hi1 = columns
         end if
         do j = gravel_lo1, gravel_hi1
           do i = 1, rows
             v(i, j) = this%weight * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
           end do
         end do
      end do
      ! gravel: the wait moved here, was line 56: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
      call gravel_wait(requests(3), this%old)
      call gravel_wait(requests(4), this%old)
      do j = 1, columns
        do i = 1, rows
          u(i, j) = v(i, j)
        end do
      end do
    end associate
  end subroutine smooth

  ! The line is received while the field, another component, is filled.
  subroutine pass(this)
    use gravel
    class(field), intent(inout) :: this
    integer(gravel_request_kind) :: gravel_s1

    associate (line => this%line, length => size(this%line) - 2)
      block
        double precision :: outgoing(4000)
        integer :: request, ierr, i

        do i = 1, length
          outgoing(i) = line(i) + 0.5d0 * dble(mod(i, 5))
        end do
        ! gravel: posted here, was line 82: call mpi_irecv(line(1), length, mpi_double_precision, this%prev...
        call gravel_post_rcv_buffer_rdma(line(1), length, mpi_double_precision, this%prev, 3, mpi_comm_world, &
             request, ierr)
        ! gravel: sent without waiting, was line 83: call mpi_send(outgoing, 4000, mpi_double_precision, th...
        call gravel_post_send(outgoing, 4000, mpi_double_precision, this%next, 3, mpi_comm_world, gravel_s1, &
             ierr)
        ! gravel: moved away from here, was line 84: call mpi_wait(request, mpi_status_ignore, ierr)
        ierr = 0
        do i = 1, this%columns
          this%new(1, i) = this%new(1, i) + this%weight
        end do
        ! gravel: the wait moved here, was line 84: call mpi_wait(request, mpi_status_ignore, ierr)
        call gravel_wait(request, this%line)
        do i = 1, length
          line(i) = 2.0d0 * this%weight * line(i)
        end do
        ! gravel: the wait moved here, was line 83: call mpi_send(outgoing, 4000, mpi_double_precision, thi...
        call gravel_wait(gravel_s1, outgoing)
      end block
    end associate
  end subroutine pass

  ! Only some fields have a slope.
  subroutine exchange_slope(this)
    use gravel
    class(field), intent(inout) :: this
    integer :: request, ierr, i
    integer(gravel_request_kind) :: gravel_r1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

    select type (self => this)
    type is (sloped_field)
      ! gravel: posted early, was line 109: call mpi_recv(self%slope_of_next, 4000, mpi_double_precision, s...
      call gravel_post_rcv_segments(self%slope_of_next, 4000, mpi_double_precision, self%next, 4, &
           mpi_comm_world, gravel_r1)
      ! gravel: one handshake, a put per tile, was line 105: call mpi_isend(self%slope, 4000, mpi_double_pr...
      call gravel_wait_rcv_buffer(self%slope, 4000, mpi_double_precision, self%prev, 4, mpi_comm_world, &
           gravel_t1)
      gravel_step1 = gravel_tile(gravel_t1, 4000)
      do gravel_lo1 = 1, 4000, gravel_step1
         gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, 4000 - gravel_lo1)
         do i = gravel_lo1, gravel_hi1
           self%slope(i) = self%line(i) - self%line(i - 1) + dble(mod(i, 3))
         end do
         call gravel_post_os_put(gravel_t1, self%slope, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
      end do
      ! gravel: sent tile by tile above, was line 105: call mpi_isend(self%slope, 4000, mpi_double_precisio...
      call gravel_send_fin(gravel_t1, request, ierr)
      do i = 1, self%columns
        self%new(2, i) = self%new(2, i) + self%weight
      end do
      ! gravel: moved away from here, was line 109: call mpi_recv(self%slope_of_next, 4000, mpi_double_prec...
      ierr = 0
      ! gravel: moved away from here, was line 111: call mpi_wait(request, mpi_status_ignore, ierr)
      ierr = 0
      ! gravel: waits here for what each tile reads, was line 109: call mpi_recv(self%slope_of_next, 4000, ...
      gravel_step2 = gravel_tile(gravel_r1, 4000)
      if (gravel_step2 >= 4000) call gravel_wait(gravel_r1, self%slope_of_next)
      do gravel_lo2 = 1, 4000, gravel_step2
         gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, 4000 - gravel_lo2)
         if (gravel_step2 < 4000) call gravel_wait_range(gravel_r1, self%slope_of_next, 0, gravel_hi2)
         do i = gravel_lo2, gravel_hi2
           self%line(i) = self%line(i) + 0.125d0 * self%slope_of_next(i)
         end do
      end do
      if (gravel_step2 < 4000) call gravel_wait(gravel_r1, self%slope_of_next)
      ! gravel: the wait moved here, was line 111: call mpi_wait(request, mpi_status_ignore, ierr)
      call gravel_wait(request, self%slope)
    end select
  end subroutine exchange_slope

end module fields

program associate_names
  use mpi
  use fields
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  type(sloped_field) :: ours
  integer :: ierr, rank, ranks, i, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call ours%set_up(300, 400, mod(rank + 1, ranks), mod(rank - 1 + ranks, ranks))
  do step = 1, 10
    call ours%smooth()
    call ours%pass()
    call ours%exchange_slope()
  end do
  checksum = sum(ours%old(1:400, 1:300)) + sum(ours%line) + sum(ours%new(1:2, :))

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
end program associate_names
