! A halo is exchanged with both neighbours in two fields at once, and each message unpacked as soon as it has come:
! whichever that is. What is counted at the end must be four receives and four sends, each once.
program waitany_unpack
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, left, right, i, k, step, which, length
  integer :: requests(8), status(mpi_status_size), seen(8)
  double precision :: out(n, 4), in(n, 4), field(n), halo(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 13)) * 0.25d0
  end do
  seen = 0
  length = 0
  checksum = 0.0d0

  do step = 1, 3
    do i = 1, n
      out(i, 1) = field(i) * 0.5d0
    end do
    do i = 1, n
      out(i, 2) = field(i) - 1.0d0
    end do
    do i = 1, n
      out(i, 3) = field(i) + 2.0d0
    end do
    do i = 1, n
      out(i, 4) = -field(i)
    end do
    call mpi_irecv(in(1, 1), n, mpi_double_precision, left, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(in(1, 2), n, mpi_double_precision, right, 2, mpi_comm_world, requests(2), ierr)
    call mpi_irecv(in(1, 3), n, mpi_double_precision, left, 3, mpi_comm_world, requests(3), ierr)
    call mpi_irecv(in(1, 4), n, mpi_double_precision, right, 4, mpi_comm_world, requests(4), ierr)
    call mpi_isend(out(1, 1), n - step, mpi_double_precision, right, 1, mpi_comm_world, requests(5), ierr)
    call mpi_isend(out(1, 2), n, mpi_double_precision, left, 2, mpi_comm_world, requests(6), ierr)
    call mpi_isend(out(1, 3), 100, mpi_double_precision, right, 3, mpi_comm_world, requests(7), ierr)
    call mpi_isend(out(1, 4), 1, mpi_double_precision, left, 4, mpi_comm_world, requests(8), ierr)

    do k = 1, 8
      call mpi_waitany(8, requests, which, status, ierr)
      seen(which) = seen(which) + 1
      if (which <= 4) then
        call mpi_get_count(status, mpi_double_precision, i, ierr)
        length = length + i * which
        call unpack(in(:, which), halo, i, which)
        checksum = checksum + halo(1) * dble(which)
      end if
    end do
    call mpi_waitany(8, requests, which, status, ierr)
    if (which > 0) checksum = -1.0d0
    do i = 1, n
      field(i) = 0.5d0 * field(i) + 0.125d0 * (in(i, 1) - in(i, 2))
    end do
  end do

  do i = 1, 8
    if (seen(i) /= 3) checksum = checksum + 1.0d6
  end do
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 11))
  end do
  checksum = checksum + dble(length)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine unpack(message, values, length, number)
    double precision, intent(in) :: message(n)
    double precision, intent(out) :: values(n)
    integer, intent(in) :: length, number
    integer :: k

    values = 0.0d0
    do k = 1, length
      values(k) = message(k) * 2.0d0 + dble(number)
    end do
  end subroutine unpack
end program waitany_unpack
