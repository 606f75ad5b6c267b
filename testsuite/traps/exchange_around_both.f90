! Work behind a procedure around an exchange exchanges another field by another procedure around the same one.
! expect: without split-exchange
module fields
  use mpi
  implicit none
  integer, parameter :: n = 400, m = 300
  integer :: rank, ranks, next, prev, ierr, level
  double precision :: u(0:n+1, 0:m+1), v(0:n+1, 0:m+1), w(0:n+1, 0:m+1)
  double precision :: from_prev(m), to_next(m), extra

contains

  subroutine exchange(a)
    double precision, intent(inout) :: a(0:n+1, 0:m+1)
    integer :: requests(4), j
    call mpi_irecv(from_prev, m, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(a(1, 0), n, mpi_double_precision, prev, 2, mpi_comm_world, requests(2), ierr)
    do j = 1, m
      to_next(j) = a(n, j)
    end do
    call mpi_isend(to_next, m, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(a(1, m), n, mpi_double_precision, next, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
    do j = 1, m
      a(0, j) = from_prev(j)
    end do
  end subroutine exchange

  subroutine smooth(a, b)
    double precision, intent(in) :: a(0:n+1, 0:m+1)
    double precision, intent(inout) :: b(0:n+1, 0:m+1)
    integer :: i, j
    do j = 1, m
      do i = 1, n
        b(i, j) = 0.5d0 * a(i, j) + 0.125d0 * (a(i - 1, j) + a(i, j - 1) + a(i, j + 1) + a(i + 1, j))
      end do
    end do
  end subroutine smooth

  subroutine other_work(c)
    double precision, intent(inout) :: c(0:n+1, 0:m+1)
    integer :: i, j
    do j = 1, m
      do i = 1, n
        c(i, j) = c(i, j) * 0.5d0 + dble(mod(i * j, 7))
      end do
    end do
  end subroutine other_work

  subroutine nested(c)
    double precision, intent(inout) :: c(0:n+1, 0:m+1)
    call other_work(c)
    call exchange(c)
  end subroutine nested

  subroutine nested_as_well(c)
    double precision, intent(inout) :: c(0:n+1, 0:m+1)
    call other_work(c)
    call exchange(c)
  end subroutine nested_as_well

end module fields

program exchange_around_both
  use fields
  implicit none
  integer, parameter :: max_ranks = 16
  integer :: step, i, j
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  level = 1
  extra = 0.0d0
  do j = 0, m + 1
    do i = 0, n + 1
      u(i, j) = dble(rank + 1) * dble(mod(i + 3 * j, 17))
    end do
  end do
  v = 1.0d0
  w = 2.0d0
  do step = 1, 4
    call nested(w)
    call nested_as_well(v)
  end do
  checksum = extra
  do j = 1, m
    do i = 0, n + 1
      checksum = checksum + (u(i, j) + 2.0d0 * v(i, j) + 3.0d0 * w(i, j)) * dble(mod(i, 5) + 1)
    end do
  end do
  checksum = checksum + sum(u(:, 0)) + 2.0d0 * sum(v(:, m + 1))
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(16es24.16)', checksums(1:ranks)
  call mpi_finalize(ierr)
end program exchange_around_both
