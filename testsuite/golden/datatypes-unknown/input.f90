! Datatypes of which little or nothing is known when the program is compiled: in a COMMON block that is cut in two ways,
! behind a pointer, read from a text, handed over, in a component, given by a function. A message may be any part of its
! array, and the runtime looks at what the datatype is. A loop is cut for it where the runtime finds elements of the array.
module run_options
  use mpi
  implicit none
  type :: options
    integer :: column
    integer, pointer :: unit_of_work
  end type options
  integer, target :: real_type
  integer :: stored(3)
contains
  integer function datatype_of(which)
    integer, intent(in) :: which
    datatype_of = stored(which)
  end function datatype_of
end module run_options

subroutine choose
  use mpi
  implicit none
  integer :: numbers(3)
  common /setup/ numbers
  numbers(2) = mpi_double_precision
end subroutine choose

program datatypes_unknown
  use run_options
  implicit none

  integer, parameter :: n = 40000, nx = 40, ny = 300
  integer, parameter :: max_ranks = 16
  integer :: steps, wp_type, ignored
  common /setup/ steps, wp_type, ignored
  integer :: rank, ranks, next, prev, ierr, i, step, request, column, shorter, row
  character(len=20) :: text
  type(options) :: chosen
  double precision :: sbuf(n), rbuf(n), field(n)
  double precision :: u(nx, ny), v(nx, ny), w(nx, ny)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call choose
  steps = 3

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 77)) * 0.125d0
  end do
  do step = 1, steps
    call mpi_irecv(rbuf, n, wp_type, prev, 1, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0
    end do
    call mpi_send(sbuf, n, wp_type, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) + rbuf(i)
    end do
  end do

  do i = 1, ny
    u(:, i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
  end do
  v = 0.0d0
  w = 0.0d0
  call mpi_type_vector(ny, 1, nx, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  call mpi_type_vector(2*ny, 1, nx, mpi_real, shorter, ierr)
  call mpi_type_commit(shorter, ierr)
  write (text, *) column
  read (text, *) real_type
  chosen%column = column
  allocate (chosen%unit_of_work)
  chosen%unit_of_work = column
  if (ranks > 2) chosen%column = shorter
  call mpi_type_contiguous(ny, mpi_double_precision, row, ierr)
  call mpi_type_commit(row, ierr)
  write (text, *) row
  read (text, *) stored(2)
  stored(3) = column

  call mpi_sendrecv(u(1, 1), 1, real_type, next, 2, v(1, 1), 1, real_type, prev, 2, mpi_comm_world, mpi_status_ignore, ierr)
  w(2:nx, :) = u(2:nx, :) * 0.25d0
  v(2:nx, :) = w(2:nx, :) + 1.0d0
  call exchange(u(2, 1), v(2, 1), column, 3)
  call exchange(u(1, 1), v(4, 1), shorter, 3)
  call mpi_irecv(v(3, 1), 1, chosen%column, prev, 4, mpi_comm_world, request, ierr)
  call mpi_send(u(3, 1), 1, chosen%column, next, 4, mpi_comm_world, ierr)
  w(1, :) = u(1, :) * 3.0d0
  call mpi_wait(request, mpi_status_ignore, ierr)
  call mpi_irecv(v(1, 50), 1, datatype_of(2), prev, 5, mpi_comm_world, request, ierr)
  call mpi_send(u(5, 1), 1, datatype_of(3), next, 5, mpi_comm_world, ierr)
  w(1, :) = w(1, :) + u(7, :)
  call mpi_wait(request, mpi_status_ignore, ierr)
  call mpi_irecv(v(:, 9), nx, wp_type, prev, 6, mpi_comm_world, request, ierr)
  call mpi_send(u(:, 8), nx, wp_type, next, 6, mpi_comm_world, ierr)
  w(1, :) = w(1, :) - u(8, :)
  call mpi_wait(request, mpi_status_ignore, ierr)
  call mpi_sendrecv(u(9, 1), 1, chosen%unit_of_work, next, 7, v(9, 1), 1, chosen%unit_of_work, prev, 7, mpi_comm_world, &
                    mpi_status_ignore, ierr)

  checksum = sum(u) + 3.0d0 * sum(v) + 5.0d0 * sum(w)
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 31))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      print '(a,i3,a,es24.16)', 'rank', i - 1, ' checksum', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
contains
  subroutine exchange(sent, received, datatype, tag)
    double precision, intent(in) :: sent(*)
    double precision, intent(inout) :: received(*)
    integer, intent(in) :: datatype, tag
    integer :: pending, j
    call mpi_irecv(received, 1, datatype, prev, tag, mpi_comm_world, pending, ierr)
    call mpi_send(sent, 1, datatype, next, tag, mpi_comm_world, ierr)
    do j = 1, ny
      w(6, j) = w(6, j) + dble(j) * 0.5d0
    end do
    call mpi_wait(pending, mpi_status_ignore, ierr)
  end subroutine exchange
end program datatypes_unknown
