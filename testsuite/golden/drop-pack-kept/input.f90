! Copies that stay, each for another reason: the buffer is looked at, what is copied lies apart or is not all of the message,
! the array is written too soon, the loop's variable is used.
program drop_pack_kept
  use mpi
  implicit none

  integer, parameter :: n = 3000, m = 8
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  double precision :: field(n, m), other(n, m), rows(m, n), ghost(n)
  double precision :: seen(n), row(n), part(n), early(n), soon(n), counted(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 1, m
    do i = 1, n
      field(i, j) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0 + dble(j)
      rows(j, i) = field(i, j)
    end do
  end do
  checksum = 0.0d0

  do step = 1, 3
    call mpi_irecv(ghost, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    do i = 1, n
      seen(i) = field(i, m)
    end do
    call mpi_send(seen, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call work
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = checksum + ghost(5) + seen(7)

    call mpi_irecv(ghost, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
    do i = 1, n
      row(i) = rows(2, i)
    end do
    call mpi_send(row, n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    call work
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = checksum + ghost(6)

    call mpi_irecv(ghost, n, mpi_double_precision, prev, 3, mpi_comm_world, request, ierr)
    do i = 1, n - 1
      part(i) = field(i, m)
    end do
    part(n) = 0.0d0
    call mpi_send(part(1), n, mpi_double_precision, next, 3, mpi_comm_world, ierr)
    call work
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = checksum + ghost(7)

    call mpi_irecv(ghost, n, mpi_double_precision, prev, 4, mpi_comm_world, request, ierr)
    do i = 1, n
      early(i) = field(i, m)
    end do
    do i = 1, n
      field(i, m) = field(i, m) * 0.5d0
    end do
    call mpi_send(early, n, mpi_double_precision, next, 4, mpi_comm_world, ierr)
    call work
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = checksum + ghost(8)

    call mpi_irecv(ghost, n, mpi_double_precision, prev, 5, mpi_comm_world, request, ierr)
    do i = 1, n
      soon(i) = field(i, m)
    end do
    call mpi_send(soon, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
    do j = 1, m
      do i = 1, n
        field(i, j) = field(i, j) * 0.75d0 + 1.0d0
      end do
    end do
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = checksum + ghost(9)

    call mpi_irecv(ghost, n, mpi_double_precision, prev, 6, mpi_comm_world, request, ierr)
    do k = 1, n
      counted(k) = field(k, m)
    end do
    call mpi_send(counted, n, mpi_double_precision, next, 6, mpi_comm_world, ierr)
    call work
    call mpi_wait(request, mpi_status_ignore, ierr)
    checksum = checksum + ghost(10) + dble(k)
  end do
  checksum = checksum + other(3, 4)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine work
    integer :: a, b

    do b = 1, m
      do a = 1, n
        other(a, b) = field(a, b) * 0.5d0
      end do
    end do
  end subroutine work
end program drop_pack_kept
