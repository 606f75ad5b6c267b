! A grandchild of the type that a call names has a procedure of its own, which reads what is received.
! expect: without sink-wait
module workers
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision :: sbuf(n), rbuf(n), scratch(n)

  type :: worker
    integer :: number = 3
  contains
    procedure :: work => work_of_worker
  end type worker

  type, extends(worker) :: other
  end type other

  type, extends(other) :: reader
  contains
    procedure :: work => work_of_reader
  end type reader

contains

  subroutine work_of_worker(this, total)
    class(worker), intent(in) :: this
    double precision, intent(inout) :: total
    integer :: i

    do i = 1, n
      scratch(i) = scratch(i) * 0.5d0 + dble(this%number)
    end do
    total = total + scratch(n/2)
  end subroutine work_of_worker

  subroutine work_of_reader(this, total)
    class(reader), intent(in) :: this
    double precision, intent(inout) :: total

    total = total + rbuf(this%number) + rbuf(n)
  end subroutine work_of_reader

  subroutine exchange(any, next, prev, total)
    class(worker), intent(inout) :: any
    integer, intent(in) :: next, prev
    double precision, intent(inout) :: total
    integer :: request, ierr
    integer :: status(mpi_status_size)

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr) ! trapped
    call any%work(total)
  end subroutine exchange

end module workers

program override_reads_message
  use mpi
  use workers
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)
  type(worker) :: plain
  type(reader) :: ours

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
    scratch(i) = dble(mod(i, 13))
  end do
  call exchange(plain, next, prev, checksum)
  rbuf = 0.0d0
  call exchange(ours, next, prev, checksum)
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
end program override_reads_message
