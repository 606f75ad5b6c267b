! A field in an object with everything that its exchange needs: requests, a communicator, and a datatype that is made when it
! is first needed, until when it is 0.
module fields
  use mpi
  implicit none

  type :: field
    integer :: comm
    integer :: edge = 0
    integer :: received, sent
    double precision, allocatable :: values(:, :)
  end type field

contains

  subroutine begin(this, right, left)
    use gravel
    type(field), intent(inout) :: this
    integer, intent(in) :: right, left
    integer :: n, ierr

    if (this%edge == 0) then
      n = size(this%values, 2)
      call mpi_type_vector(n, 1, 40, mpi_double_precision, this%edge, ierr)
      call mpi_type_commit(this%edge, ierr)
    end if
    ! gravel: posted here, was line 26: call mpi_irecv(this%values(1, 1), 1, this%edge, left, 1, this%comm,...
    call gravel_post_rcv_buffer_rdma(this%values(1, 1), 1, this%edge, left, 1, this%comm, this%received, ierr)
    ! gravel: sent without waiting, was line 27: call mpi_isend(this%values(39, 1), 1, this%edge, right, 1,...
    call gravel_post_send(this%values(39, 1), 1, this%edge, right, 1, this%comm, this%sent, ierr)
  end subroutine begin

  subroutine finish(this)
    use gravel
    type(field), intent(inout) :: this
    integer :: ierr

    ! gravel: waits here, was line 34: call mpi_wait(this%received, mpi_status_ignore, ierr)
    call gravel_wait(this%received, this%values, ierr)
    ! gravel: waits here, was line 35: call mpi_wait(this%sent, mpi_status_ignore, ierr)
    call gravel_wait(this%sent, this%values, ierr)
  end subroutine finish
end module fields

program datatypes_in_objects
  use mpi
  use fields
  use gravel
  implicit none

  type(field) :: f
  integer :: ierr, rank, ranks, i, j, step
  integer, parameter :: max_ranks = 16
  double precision :: work, checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  f%comm = mpi_comm_world
  allocate (f%values(40, 500))
  do j = 1, 500
    do i = 1, 40
      f%values(i, j) = rank + 0.5d0 * i + 0.25d0 * j
    end do
  end do
  do step = 1, 3
    call begin(f, mod(rank + 1, ranks), mod(rank + ranks - 1, ranks))
    work = 0.0d0
    do i = 1, 1000
      work = work + mod(i * step, 17)
    end do
    call finish(f)
    do j = 1, 500
      do i = 2, 39
        f%values(i, j) = 0.5d0 * (f%values(i - 1, j) + f%values(i, j))
      end do
    end do
  end do
  checksum = sum(f%values) + work
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
end program datatypes_in_objects
