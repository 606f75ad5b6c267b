! The procedure around an exchange sets an edge behind it, and work behind the call reads that edge.
! expect: without split-exchange
module fields
  use mpi
  implicit none
  integer, parameter :: n = 300, m = 200
  integer :: rank, ranks, next, prev, ierr
  double precision :: u(0:n+1, 0:m+1), v(0:n+1, 0:m+1), w(0:n+1, 0:m+1)
  double precision :: from_prev(m), to_next(m), extra

contains

  subroutine talk(out, in, length, tag, request_out, request_in)
    double precision :: out(*), in(*)
    integer :: length, tag, request_out, request_in
    call mpi_irecv(in, length, mpi_double_precision, prev, tag, mpi_comm_world, request_in, ierr)
    call mpi_isend(out, length, mpi_double_precision, next, tag, mpi_comm_world, request_out, ierr)
  end subroutine talk

  subroutine exchange(a)
    double precision, intent(inout) :: a(0:n+1, 0:m+1)
    integer :: requests(2), j
    do j = 1, m
      to_next(j) = a(n, j)
    end do
    call talk(to_next, from_prev, m, 1, requests(1), requests(2))
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
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

  subroutine update(a)
    double precision, intent(inout) :: a(0:n+1, 0:m+1)
    call exchange(a)
    call set_edge(a)
  end subroutine update

  subroutine set_edge(a)
    double precision, intent(inout) :: a(0:n+1, 0:m+1)
    integer :: i
    do i = 1, n
      a(i, m + 1) = 2.0d0 * a(i, m) + a(0, 1)
    end do
  end subroutine set_edge

  subroutine add_edge(a)
    double precision, intent(in) :: a(0:n+1, 0:m+1)
    extra = extra * 0.5d0 + sum(a(1:n, m + 1))
  end subroutine add_edge

end module fields

program exchange_around_edges_read
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
  extra = 0.0d0
  do j = 0, m + 1
    do i = 0, n + 1
      u(i, j) = dble(rank + 1) * dble(mod(i + 3 * j, 17))
    end do
  end do
  v = 1.0d0
  w = 2.0d0
  do step = 1, 4
    call update(u)
    call add_edge(u)
    call other_work(w)
  end do
  checksum = extra
  do j = 0, m + 1
    do i = 0, n + 1
      checksum = checksum + (u(i, j) + 2.0d0 * v(i, j) + 3.0d0 * w(i, j)) * dble(mod(i, 5) + 1)
    end do
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(16es24.16)', checksums(1:ranks)
  call mpi_finalize(ierr)
end program exchange_around_edges_read
