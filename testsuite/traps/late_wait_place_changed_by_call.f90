! The procedure changes what says where its message lies, when it has received it: behind the call the caller means another
! place by that.
! ranks: 2 3
! expect: handled
module m
  use mpi
  implicit none
  real(8) :: a(100)
contains
  subroutine get(b, n, from, w)
    real(8), intent(inout) :: b(100)
    integer, intent(inout) :: n
    integer, intent(in) :: from
    real(8), intent(inout) :: w(:)
    integer :: ierr
    call mpi_recv(b(n), 10, mpi_double_precision, from, 5, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    n = n + 50
  end subroutine
end module
program late_wait_place_changed_by_call
  use m
  implicit none
  integer :: rank, ierr, n, i, r
  real(8) :: w(2000), s(10), x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  a = -1
  w = 1
  n = 10
  if (rank == 0) then
    do i = 1, 10
      s(i) = i
    end do
    call work(w, 3000)
    call mpi_send(s, 10, mpi_double_precision, 1, 5, mpi_comm_world, ierr)
  else if (rank == 1) then
    call get(a, n, 0, w)
    do r = 1, 20
    do i = 1, 2000
      w(i) = w(i) * 0.5d0 + 1
    end do
    end do
    x = a(n-50)
    do i = 1, 2000
      w(i) = w(i) * 0.5d0 + x
    end do
    print '(4es24.16)', x, a(n), w(1), sum(a)
  end if
  call mpi_finalize(ierr)
contains
  subroutine work(w, k)
    real(8) :: w(:)
    integer :: k, i, j
    do j = 1, k
    do i = 1, size(w)
      w(i) = sqrt(w(i) + 1)
    end do
    end do
  end subroutine
end program
