! What has come goes to a private variable of another module, and work behind the exchange asks that module for it.
! expect: without split-exchange
module ghosts
  implicit none
  private
  public :: keep, add_kept
  double precision :: kept(200) = 0d0
contains
  subroutine keep(values)
    double precision, intent(in) :: values(:)
    kept(1:size(values)) = values
  end subroutine keep

  subroutine add_kept(total)
    double precision, intent(inout) :: total
    integer :: i
    do i = 1, 200
      total = total * 0.75d0 + kept(i)
    end do
  end subroutine add_kept
end module ghosts

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
    use ghosts, only: keep
    double precision, intent(inout) :: a(0:n+1, 0:m+1)
    integer :: requests(2), j
    do j = 1, m
      to_next(j) = a(n, j)
    end do
    call talk(to_next, from_prev, m, 1, requests(1), requests(2))
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    call keep(from_prev)
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

program exchange_unpacks_into_hidden
  use fields
  use ghosts
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
    call exchange(u)
    call add_kept(extra)
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
end program exchange_unpacks_into_hidden
