! Hints to compilers stay with the statements below them: what is inserted goes above them, loops right below are not cut, and
! calls right below are not replaced.
program compiler_hints
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, other, i, k, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), field(n), a(n), table(8, n), w
  double precision :: checksum, checksums(max_ranks)

  !DIR$ NOINLINE
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  w = 0.125d0
  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  do step = 1, 3
    ! The loop below is compiled as a whole.
    !DIR$ IVDEP
    !GCC$ unroll 4
    do i = 1, n
      sbuf(i) = a(i) * w + dble(step)
    end do
    if (mod(step, 2) == 1) w = 0.5d0 * w
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 4, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)

    !NEC$ ivdep
    do i = 1, n
      field(i) = a(i) + w
    end do
    !DIR$ VECTOR ALWAYS
    do i = 2, n - 1
      a(i) = 0.5d0 * field(i) + 0.25d0 * rbuf(i)
    end do

    ! A loop with a hint inside is cut as if it were vectorised itself.
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 5, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = 0.0d0
      !GCC$ unroll 8
      do k = 1, 8
        table(k, i) = a(i) * dble(k)
        sbuf(i) = sbuf(i) + table(k, i)
      end do
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      a(i) = a(i) + 1.0d-3 * rbuf(i)
    end do

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 6, mpi_comm_world, other, ierr)
    !DIR$ NOINLINE
    call mpi_send(a, n, mpi_double_precision, next, 6, mpi_comm_world, ierr)
    call mpi_wait(other, status, ierr)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + (a(i) + rbuf(i)) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  !DIR$ NOINLINE
  call mpi_finalize(ierr)
end program compiler_hints
