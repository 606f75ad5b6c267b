! Two communicators come down in an array, and both carry messages of one tag between the same processes. Whoever takes one for
! the other lets the messages change places.
! ranks: 2 3 4
! expect: handled
program communicators_in_array_handed_down
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: comms(2), ierr, rank, ranks, i
  double precision :: first(n), second(n), ghost(n), mixed(n)
  double precision :: checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  comms(1) = mpi_comm_world
  call mpi_comm_dup(mpi_comm_world, comms(2), ierr)

  do i = 1, n
    first(i) = dble(rank + 1) * dble(mod(i, 9))
    second(i) = dble(rank + 2) * dble(mod(i, 11))
  end do
  mixed = 0.0d0
  call exchange(first, second, ghost, mixed, comms)
  call mpi_comm_free(comms(2), ierr)

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + ghost(i) * dble(mod(i, 7)) + mixed(i) * dble(mod(i, 3))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print '(f16.2)', total
  call mpi_finalize(ierr)

contains

  subroutine exchange(one, other, from_other, from_one, channels)
    double precision, intent(in) :: one(n), other(n)
    double precision, intent(inout) :: from_other(n), from_one(n)
    integer, intent(in) :: channels(*)
    integer :: requests(2), error, k, next, prev
    double precision :: work(n)

    next = mod(rank + 1, ranks)
    prev = mod(rank - 1 + ranks, ranks)
    call mpi_isend(one, n, mpi_double_precision, next, 4, channels(2), requests(1), error) ! trapped
    call mpi_isend(other, n, mpi_double_precision, next, 4, channels(1), requests(2), error) ! trapped
    call mpi_recv(from_other, n, mpi_double_precision, prev, 4, channels(1), mpi_status_ignore, error) ! trapped
    do k = 1, n
      work(k) = one(k) + 0.5d0 * other(k)
    end do
    call mpi_recv(from_one, n, mpi_double_precision, prev, 4, channels(2), mpi_status_ignore, error) ! trapped
    do k = 1, n
      from_one(k) = from_one(k) + work(k)
    end do
    call mpi_wait(requests(1), mpi_status_ignore, error)
    call mpi_wait(requests(2), mpi_status_ignore, error)
  end subroutine exchange

end program communicators_in_array_handed_down
