! An object knows its extents and its neighbours, and functions bound to its type say them to MPI. What they look at stays
! as it is on the way of a message; what the message itself changes, other parts of the object, they do not look at.
module fields
  use mpi
  implicit none
  integer :: offset = 0
  type :: field
    integer :: columns, rows, ranks, rank
    double precision, allocatable :: u(:, :), v(:, :)
  contains
    procedure :: width
    procedure :: neighbour
    procedure :: has
    procedure :: exchange
    procedure :: total_of
  end type field
contains

  pure integer function width(this)
    class(field), intent(in) :: this

    width = this%columns
  end function width

  integer function neighbour(this, side)
    class(field), intent(in) :: this
    integer, intent(in) :: side

    neighbour = mpi_proc_null
    if (this%has(side)) neighbour = this%rank + side
  end function neighbour

  logical function has(this, side)
    class(field), intent(in) :: this
    integer, intent(in) :: side

    has = this%rank + side >= 0 .and. this%rank + side < this%ranks
  end function has

  integer function tag_of(side)
    integer, intent(in) :: side

    tag_of = 10 + side + offset
  end function tag_of

  subroutine total_of(this, total)
    use gravel
    class(field), intent(in) :: this
    double precision, intent(out) :: total
    double precision :: sums(this%ranks), own
    integer :: k, ierr
    integer(gravel_request_kind) :: gravel_r1, gravel_s1

    sums = 0
    own = 0
    ! gravel: posted early, was line 59: call mpi_recv(sums, this%ranks, mpi_double_precision, this%neighbo...
    if (this%has(-1)) call gravel_post_rcv_buffer_rdma(sums, this%ranks, mpi_double_precision, &
         this%neighbour(-1), tag_of(2), mpi_comm_world, gravel_r1)
    do k = 1, this%rows
      own = own + sum(this%u(:, k)) * k
    end do
    ! Every rank hands the sums on to the next one, as far as it has come.
    if (this%has(-1)) then
      ! gravel: waits here, was line 59: call mpi_recv(sums, this%ranks, mpi_double_precision, this%neighbo...
      call gravel_wait(gravel_r1, sums, ierr)
    end if
    sums(this%rank + 1) = own
    ! gravel: null where the branch below is not taken
    gravel_s1 = gravel_request_null
    if (this%has(1)) then
      ! gravel: sent without waiting, was line 64: call mpi_send(sums, this%ranks, mpi_double_precision, th...
      call gravel_post_send(sums, this%ranks, mpi_double_precision, this%neighbour(1), tag_of(2), &
           mpi_comm_world, gravel_s1, ierr)
    end if
    total = 0
    do k = 1, this%ranks
      total = total + sums(k)
    end do
    ! gravel: the wait moved here, was line 64: call mpi_send(sums, this%ranks, mpi_double_precision, this%...
    call gravel_wait(gravel_s1, sums)
  end subroutine total_of

  subroutine exchange(this)
    use gravel
    class(field), intent(inout) :: this
    integer :: requests(4), ierr, i, j

    ! gravel: posted early, was line 81: call mpi_irecv(this%u(1, 0), this%width(), mpi_double_precision, t...
    call gravel_post_rcv_buffer_rdma(this%u(1, 0), this%width(), mpi_double_precision, this%neighbour(-1), &
         tag_of(1), mpi_comm_world, requests(1))
    do j = 1, this%rows
      do i = 1, this%columns
        this%v(i, j) = 0.01d0 * i
      end do
    end do
    ! gravel: moved away from here, was line 81: call mpi_irecv(this%u(1, 0), this%width(), mpi_double_prec...
    ierr = 0
    ! gravel: posted here, was line 83: call mpi_irecv(this%u(1, this%rows + 1), this%width(), mpi_double_p...
    call gravel_post_rcv_buffer_rdma(this%u(1, this%rows + 1), this%width(), mpi_double_precision, &
         neighbour(this, 1), tag_of(-1), mpi_comm_world, requests(2), ierr)
    ! gravel: sent without waiting, was line 85: call mpi_isend(this%u(1, 1), this%width(), mpi_double_prec...
    call gravel_post_send(this%u(1, 1), this%width(), mpi_double_precision, this%neighbour(-1), tag_of(-1), &
         mpi_comm_world, requests(3), ierr)
    ! gravel: sent without waiting, was line 87: call mpi_isend(this%u(1, this%rows), this%width(), mpi_dou...
    call gravel_post_send(this%u(1, this%rows), this%width(), mpi_double_precision, this%neighbour(1), &
         tag_of(1), mpi_comm_world, requests(4), ierr)
    ! gravel: waits here, was line 89: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(1), this%u, ierr)
    call gravel_wait(requests(2), this%u, ierr)
    do j = 1, this%rows
      do i = 2, this%columns - 1
        this%v(i, j) = this%v(i, j) + 0.25d0 * (this%u(i - 1, j) + this%u(i + 1, j) + this%u(i, j - 1) + this%u(i, j + 1))
      end do
    end do
    ! gravel: the wait moved here, was line 89: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(3), this%u)
    call gravel_wait(requests(4), this%u)
    do j = 1, this%rows
      do i = 1, this%columns
        this%u(i, j) = this%v(i, j)
      end do
    end do
  end subroutine exchange

end module fields

program plate
  use mpi
  use fields
  use gravel
  implicit none
  type(field) :: f
  integer :: ierr, k, i, j
  double precision :: total

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, f%rank, ierr)
  call mpi_comm_size(mpi_comm_world, f%ranks, ierr)
  f%columns = 300
  f%rows = 50
  allocate (f%u(f%columns, 0:f%rows + 1), f%v(f%columns, 0:f%rows + 1))
  f%v = 0
  do j = 0, f%rows + 1
    do i = 1, f%columns
      f%u(i, j) = mod(i * j + f%rank, 7)
    end do
  end do
  do k = 1, 5
    call f%exchange()
  end do
  call f%total_of(total)
  if (f%rank == f%ranks - 1) print '(es22.14)', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program
