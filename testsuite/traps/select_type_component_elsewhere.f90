! A component that only the narrower type has is received in a branch of SELECT TYPE and waited for behind it.
! expect: handled
module fields
  implicit none
  integer, parameter :: length = 20000
  type :: field
    double precision :: u(length)
  end type field
  type, extends(field) :: wide_field
    double precision :: v(length)
  end type wide_field
contains
  subroutine receive(this, prev)
    use mpi
    class(field), intent(inout) :: this
    integer, intent(in) :: prev
    integer :: ierr, i, request

    request = mpi_request_null
    select type (this)
    type is (wide_field)
      call mpi_irecv(this%v, length, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    end select
    do i = 1, length
      this%u(i) = dble(i)
    end do
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end subroutine receive
end module fields

program select_type_component_elsewhere
  use mpi
  use fields
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: sending
  type(wide_field) :: ours
  double precision :: sbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, sending, ierr)
  ours%v = 0.0d0
  call receive(ours, prev)
  call mpi_wait(sending, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + ours%v(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program select_type_component_elsewhere
