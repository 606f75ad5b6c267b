! A procedure may begin at an ENTRY statement: what stands on one side of it stays there. Calls by either name, by a generic name
! and by keywords go to procedures that are known, so the message of the main program is waited for behind those that do not touch
! it.
module relaxation
  use mpi
  implicit none
  integer, parameter :: n = 4000
  double precision :: field(n), work(n), ahead(n)
  integer :: rank, ranks, next, prev, ierr
  interface add
    module procedure add_number, add_array
  end interface
contains
  ! Both exchange what they are handed: the one a part of it.
  subroutine exchange_half(out, in)
    double precision, intent(in) :: out(n)
    double precision, intent(inout) :: in(n)
    integer :: i, count, request, status(mpi_status_size)

    count = n / 2
    go to 10
    entry exchange(out, in)
    count = n
10  continue
    call mpi_irecv(in, count, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(out, count, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      work(i) = dble(mod(i, 5)) * 0.5d0
    end do
    do i = 1, n
      field(i) = in(i) * 0.5d0 + work(i)
    end do
  end subroutine exchange_half

  subroutine add_number(a, number)
    double precision :: a(n), b(n), number
    integer :: i

    do i = 1, n
      a(i) = a(i) + number
    end do
    return
    entry add_array(a, b)
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
  end subroutine add_number

  ! The results share memory.
  integer function right_of(position)
    integer :: position, left_of

    right_of = mod(position + 1, ranks)
    return
    entry left_of(position)
    right_of = mod(position - 1 + ranks, ranks)
  end function right_of
end module relaxation

program entries
  use relaxation
  implicit none
  double precision :: received(n), sums(16)
  integer :: i, step, request, status(mpi_status_size)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = right_of(rank)
  prev = left_of(rank)
  field = dble(rank + 1)
  ahead = 1.0d0
  received = 0.0d0
  do step = 1, 2
    call exchange_half(ahead, received)
    call exchange(in=received, out=field)
    call mpi_irecv(received, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
    call mpi_send(field, n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    call add(ahead, 0.5d0)
    call add(ahead, b=work)
    do i = 1, n
      field(i) = field(i) + received(i) * 0.125d0
    end do
  end do
  call mpi_gather(sum(field + ahead), 1, mpi_double_precision, sums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,16es24.16)') 'sums', sums(1:ranks)
  call mpi_finalize(ierr)
end program entries
