! Arrays with room for several statuses, or with one behind other dimensions: their first column is filled. Every rank prints.
! ranks: 1
module shelf
  implicit none
  integer, parameter :: several = 3

contains

  ! As a dummy argument whose last extent is that of the actual one.
  subroutine shift(outgoing, incoming, n, statuses, ierr)
    include 'mpif.h'
    integer, intent(in) :: n
    double precision, intent(inout) :: outgoing(n), incoming(n)
    integer, intent(inout) :: statuses(mpi_status_size, 0:*)
    integer, intent(out) :: ierr
    integer :: me, ranks, next, prev, request, i

    call mpi_comm_rank(mpi_comm_world, me, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    next = mod(me + 1, ranks)
    prev = mod(me + ranks - 1, ranks)
    call mpi_irecv(incoming, n, mpi_double_precision, prev, 7, mpi_comm_world, request, ierr)
    do i = 1, n
      outgoing(i) = me + 0.875d0*i
    end do
    call mpi_send(outgoing, n, mpi_double_precision, next, 7, mpi_comm_world, ierr)
    call mpi_wait(request, statuses, ierr)
    incoming(1) = incoming(1) + statuses(mpi_tag, 0)
  end subroutine shift

  ! As a dummy argument, with bounds of its own.
  subroutine wait_into(request, statuses, many, ierr)
    include 'mpif.h'
    integer, intent(inout) :: request
    integer, intent(in) :: many
    integer, intent(inout) :: statuses(mpi_status_size, -1:many - 2)
    integer, intent(out) :: ierr

    call mpi_wait(request, statuses, ierr)
  end subroutine wait_into

end module shelf

program status_of_several_columns
  use shelf
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000
  integer :: me, ranks, next, prev, ierr, i, k, request, which, before
  integer :: requests(2)
  integer :: guard(50), statuses(mpi_status_size, 4), deep(mpi_status_size, 2, 3), cube(mpi_status_size, 5:6, -1:1), behind(50)
  integer, parameter :: lowest = -several
  integer :: handed(mpi_status_size, several), of_any(mpi_status_size, lowest:0)
  logical :: done
  common /neighbours/ guard, statuses, deep, cube, behind
  integer :: of_test(mpi_status_size, 0:several)
  double precision :: outgoing(n), incoming(n), checksum

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(me + 1, ranks)
  prev = mod(me + ranks - 1, ranks)
  guard = 7
  behind = 9
  statuses = 1000000
  deep = 1000000
  cube = 1000000
  handed = 1000000
  of_any = 1000000
  of_test = 1000000
  checksum = 0

  ! A blocking receive.
  do i = 1, n
    outgoing(i) = me + 0.5d0*i
  end do
  call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, statuses, ierr)
  checksum = checksum + sum(incoming)
  call mpi_wait(request, mpi_status_ignore, ierr)
  call mpi_get_count(statuses(1, 1), mpi_double_precision, which, ierr)
  print *, me, 'receive', statuses(mpi_source, 1) == prev, statuses(mpi_tag, 1), which

  ! A wait, of rank 3.
  call mpi_irecv(incoming, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
  do i = 1, n
    outgoing(i) = me + 0.25d0*i
  end do
  call mpi_send(outgoing, n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
  call mpi_wait(request, deep, ierr)
  checksum = checksum + sum(incoming)
  print *, me, 'wait', deep(mpi_source, 1, 1) == prev, deep(mpi_tag, 1, 1)

  ! Lower bounds other than 1, and a sender and a receiver at once.
  do i = 1, n
    outgoing(i) = me + 0.125d0*i
  end do
  call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 3, incoming, n, mpi_double_precision, prev, 3, &
                    mpi_comm_world, cube, ierr)
  checksum = checksum + sum(incoming)
  print *, me, 'exchange', cube(mpi_source, 5, -1) == prev, cube(mpi_tag, 5, -1)

  ! A wait for any, twice.
  call mpi_irecv(incoming, n, mpi_double_precision, prev, 4, mpi_comm_world, requests(1), ierr)
  do i = 1, n
    outgoing(i) = me + 0.0625d0*i
  end do
  call mpi_isend(outgoing, n, mpi_double_precision, next, 4, mpi_comm_world, requests(2), ierr)
  before = 0
  do k = 1, 2
    call mpi_waitany(2, requests, which, of_any, ierr)
    if (which == 1) before = of_any(mpi_tag, lowest)
  end do
  checksum = checksum + sum(incoming)
  print *, me, 'any', before

  ! A test, into a component of an object.
  call mpi_irecv(incoming, n, mpi_double_precision, prev, 5, mpi_comm_world, request, ierr)
  do i = 1, n
    outgoing(i) = me + 0.75d0*i
  end do
  call mpi_send(outgoing, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
  done = .false.
  do while (.not. done)
    call mpi_test(request, done, of_test, ierr)
  end do
  checksum = checksum + sum(incoming)
  print *, me, 'test', of_test(mpi_source, 0) == prev, of_test(mpi_tag, 0)

  ! In a procedure.
  call mpi_irecv(incoming, n, mpi_double_precision, prev, 6, mpi_comm_world, request, ierr)
  do i = 1, n
    outgoing(i) = me + 0.375d0*i
  end do
  call mpi_send(outgoing, n, mpi_double_precision, next, 6, mpi_comm_world, ierr)
  call wait_into(request, handed, several, ierr)
  checksum = checksum + sum(incoming)
  print *, me, 'procedure', handed(mpi_source, 1) == prev, handed(mpi_tag, 1)

  handed(:, 1) = 1000000
  call shift(outgoing, incoming, n, handed, ierr)
  checksum = checksum + sum(incoming)
  print *, me, 'last', handed(mpi_source, 1) == prev, handed(mpi_tag, 1)

  print *, me, checksum, all(guard == 7), all(behind == 9)
  print *, me, all(statuses(:, 2:) == 1000000), all(deep(:, 2:, :) == 1000000), all(deep(:, :, 2:) == 1000000), &
       all(cube(:, 6:, :) == 1000000), all(of_any(:, lowest + 1:) == 1000000), all(of_test(:, 1:) == 1000000), &
       all(handed(:, 2:) == 1000000)
  call mpi_finalize(ierr)
end program status_of_several_columns
