! An elemental subroutine posts a message for each element, all by one call: nobody else can wait for them all.
! ranks: 2 3
! expect: handled
module m
  use mpi
  implicit none
  integer, parameter :: n = 2000
  integer :: left, right, ierr
contains
  impure elemental subroutine pass(x, y)
    double precision, intent(in) :: x
    double precision, intent(inout) :: y
    integer :: code

    call mpi_sendrecv(x, 1, mpi_double_precision, right, 1, y, 1, mpi_double_precision, left, 1, & ! trapped
      mpi_comm_world, mpi_status_ignore, code)
  end subroutine pass
end module m

program elemental_exchange
  use m
  implicit none
  double precision :: u(n), w(n), s, all(8)
  integer :: me, ranks, i, step, request

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  u = me
  w = 0
  do step = 1, 4
    call pass(w(1:20), u(1:20))
    do i = 100, n
      w(i) = w(i) + 1
    end do
    w(1:20) = w(1:20) + u(1:20)
    do i = 1, n
      w(i) = w(i) + i
    end do
  end do
  s = sum(w)
  call mpi_gather(s, 1, mpi_double_precision, all, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print *, all(1:ranks)
  call mpi_finalize(ierr)
end program elemental_exchange
