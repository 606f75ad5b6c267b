! A branch of SELECT TYPE writes what is being sent, by another name for the object.
! expect: without sink-wait
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
  subroutine send_and_clear(this, next)
    use mpi
    class(field), intent(inout) :: this
    integer, intent(in) :: next
    integer :: ierr, i

    call mpi_send(this%u, length, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    select type (mine => this)
    class is (wide_field)
      do i = 1, length
        mine%v(i) = dble(i)
        mine%u(i) = -1.0d0
      end do
    class default
      do i = 1, length
        mine%u(i) = -2.0d0
      end do
    end select
  end subroutine send_and_clear
end module fields

program select_type_branch_writes
  use mpi
  use fields
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request
  integer :: status(mpi_status_size)
  type(wide_field) :: ours
  double precision :: rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  do i = 1, n
    ours%u(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call send_and_clear(ours, next)
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + ours%v(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program select_type_branch_writes
