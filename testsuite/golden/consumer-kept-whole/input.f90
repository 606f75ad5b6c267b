! Loops behind a receive that can't wait for it tile by tile, each for another reason.
program consumer_kept_whole
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: i, k, step
  integer :: place(n)
  double precision :: sbuf(n), rbuf(n), field(n), total
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 23)) * 0.5d0
    place(i) = n + 1 - i
  end do
  total = 0.0d0
  do step = 1, 3
    do i = 1, n
      sbuf(i) = field(i) * 0.5d0 + dble(step)
    end do
    ! Backwards.
    call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 1, rbuf, n, mpi_double_precision, prev, 1, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(n + 1 - i)
    end do
    ! A sum.
    call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 2, rbuf, n, mpi_double_precision, prev, 2, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      total = total + rbuf(i)
    end do
    ! In an order that only the program knows.
    call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 3, rbuf, n, mpi_double_precision, prev, 3, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) + rbuf(place(i)) * 0.125d0
    end do
    ! The buffer is changed.
    call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 4, rbuf, n, mpi_double_precision, prev, 4, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      rbuf(i) = rbuf(i) * 0.5d0
    end do
    total = total + rbuf(n)
    ! The loop is left early.
    call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 5, rbuf, n, mpi_double_precision, prev, 5, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    k = 0
    do i = 1, n
      if (rbuf(i) > 7.0d0) exit
      k = k + 1
    end do
    total = total + dble(k)
    ! No loop.
    call mpi_sendrecv(sbuf, n, mpi_double_precision, next, 6, rbuf, n, mpi_double_precision, prev, 6, &
                      mpi_comm_world, mpi_status_ignore, ierr)
    field = field * 0.5d0 + rbuf
  end do
  checksum = total
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program consumer_kept_whole
