! A pointer leads to the array of the main program, by which what is called next reads the message.
! ranks: 1 2 3
! expect: without split-loop
program wait_in_inner_callee_with_pointer
  use mpi
  implicit none
  integer, parameter :: n = 60, m = 40
  double precision, target :: t(0:n+1, 0:m+1), r(0:n+1, 0:m+1)
  double precision :: own(3), seen
  double precision, allocatable :: all(:, :)
  double precision, pointer :: p(:, :)
  integer :: i, j, step, me, ranks, left, right, lines, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  lines = n - mod(ranks, 2)
  seen = 0
  do j = 0, m + 1
    do i = 0, n + 1
      t(i, j) = mod(3 * i + 7 * j, 11) + me
      r(i, j) = 0
    end do
  end do
  p(0:, 0:) => t
  do step = 1, 5
    if (me == 1) call delay
    call fetch
    call relax
    do j = 1, m
      do i = 1, n
        t(i, j) = 0.5d0 * r(i, j) + 0.25d0 * t(i, j)
      end do
    end do
  end do
  own = [sum(t), sum(r), seen]
  allocate (all(3, ranks))
  call mpi_gather(own, 3, mpi_double_precision, all, 3, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (me == 0) print '(3es24.16)', all
  call mpi_finalize(ierr)
contains
  ! What comes from here comes late.
  subroutine delay
    integer :: k
    double precision :: x
    x = 1
    do k = 1, 300000
      x = sqrt(x + k)
    end do
    if (x < 0) print *, x
  end subroutine delay

  subroutine fetch
    integer :: code
    call mpi_sendrecv(t(0, m), n+2, mpi_double_precision, right, 1, t(0, 0), n+2, mpi_double_precision, & ! trapped
      left, 1, mpi_comm_world, mpi_status_ignore, code)
  end subroutine fetch

  subroutine relax
    integer :: i, j

    seen = seen + p(3, 0)
    do j = 1, m
      do i = 1, lines
        r(i, j) = 0.5d0 * t(i, j) + 0.25d0 * t(i, j-1)
      end do
    end do
  end subroutine relax

end program wait_in_inner_callee_with_pointer
