! The object of a pointer to procedures is the argument that its interface calls so. The procedure that reads what is received
! calls it otherwise.
! expect: without sink-wait
module workers
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision :: sbuf(n), rbuf(n), scratch(n)

  type :: task
    double precision :: weight
    procedure(worker), pointer, pass(this) :: work
  end type task

  abstract interface
    subroutine worker(this, total)
      import :: task
      class(task), intent(in) :: this
      double precision, intent(inout) :: total
    end subroutine worker
  end interface


contains

  subroutine scale_scratch(this, total)
    class(task), intent(in) :: this
    double precision, intent(inout) :: total
    integer :: i

    do i = 1, n
      scratch(i) = scratch(i) * 0.5d0 + 3.0d0
    end do
    total = total + this%weight * scratch(n/2)
  end subroutine scale_scratch

  subroutine read_message(todo, total)
    class(task), intent(in) :: todo
    double precision, intent(inout) :: total

    total = total + todo%weight * rbuf(3) + rbuf(n)
  end subroutine read_message

  subroutine exchange(next, prev, todo, total)
    integer, intent(in) :: next, prev
    type(task), intent(in) :: todo
    double precision, intent(inout) :: total
    integer :: request, ierr
    integer :: status(mpi_status_size)

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr) ! trapped
    call todo%work(total)
  end subroutine exchange

end module workers

program pointer_in_object_passes_by_name
  use mpi
  use workers
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)
  type(task) :: first, other

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  first = task(2.0d0, read_message)
  other%weight = 3.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
    scratch(i) = dble(mod(i, 13))
  end do
  call exchange(next, prev, first, checksum)
  rbuf = 0.0d0
  other%work => scale_scratch
  call exchange(next, prev, other, checksum)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + scratch(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program pointer_in_object_passes_by_name
