! What the caller does behind the exchange looks at the statuses of its messages.
! expect: without split-exchange
module fields
  use mpi
  implicit none
  integer, parameter :: n = 300, m = 200
  integer :: rank, ranks, next, prev, ierr
  double precision :: from_prev(m), to_next(m)
contains
  subroutine exchange(a, status, code)
    double precision, intent(inout) :: a(0:n+1, 0:m+1)
    integer, intent(inout) :: status(mpi_status_size, 2)
    integer, intent(inout) :: code
    integer :: requests(2), j
    call mpi_irecv(from_prev, m, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
    do j = 1, m
      to_next(j) = a(n, j)
    end do
    call mpi_isend(to_next, m, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr)
    call mpi_waitall(2, requests, status, code) ! trapped
    do j = 1, m
      a(0, j) = from_prev(j)
    end do
  end subroutine exchange

  subroutine other_work(c)
    double precision, intent(inout) :: c(0:n+1, 0:m+1)
    integer :: i, j
    do j = 1, m
      do i = 1, n
        c(i, j) = c(i, j) * 0.5d0 + dble(mod(i * j, 7))
      end do
    end do
  end subroutine other_work

end module fields
program exchange_status_looked_at
  use fields
  implicit none
  double precision :: u(0:n+1, 0:m+1), v(0:n+1, 0:m+1), w(0:n+1, 0:m+1), extra, all
  integer :: t, i, j, st(mpi_status_size, 4), code

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  extra = 0d0
  st = 0
  do j = 0, m + 1
    do i = 0, n + 1
      u(i, j) = dble(rank + 1) * dble(mod(i + 3 * j, 17))
    end do
  end do
  v = 1d0
  w = 2d0
  do t = 1, 3
    st = -5
    call exchange(u, st, code)
    extra = extra + st(mpi_source, 1) + 10 * st(mpi_tag, 1)
    call other_work(w)
  end do
  extra = extra + sum(u) + 2d0 * sum(v) + 3d0 * sum(w)
  call mpi_reduce(extra, all, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(es24.16)', all
  call mpi_finalize(ierr)
end program exchange_status_looked_at
