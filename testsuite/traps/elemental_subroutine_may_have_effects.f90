! As for one that is pure: an impure elemental subroutine is called for each element, also where it could wait.
! ranks: 2 3
! expect: without sink-wait split-loop
module m
  use mpi
  implicit none
  integer, parameter :: n = 2000
  integer :: left, right, ierr
contains
  impure elemental subroutine scale(x, y)
    double precision, intent(in) :: x
    double precision, intent(inout) :: y
    integer :: k

    do k = 1, 5
      y = y + 1
    end do
    y = x + y
    do k = 1, 3
      y = y + 1
    end do
  end subroutine scale
end module m

program elemental_subroutine_may_have_effects
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
    call mpi_irecv(u(1001), 1000, mpi_double_precision, left, 1, mpi_comm_world, request, ierr)
    call mpi_send(w(1), 1000, mpi_double_precision, right, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    call scale(u, w)
    do i = 1, n
      w(i) = w(i) + i
    end do
  end do
  s = sum(w)
  call mpi_gather(s, 1, mpi_double_precision, all, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print *, all(1:ranks)
  call mpi_finalize(ierr)
end program elemental_subroutine_may_have_effects
