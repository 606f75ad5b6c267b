! The buffer is written after some work: what was sent is what it held at the call, and what has come
! is there before it is written.
! expect: handled
program replaced_written_after
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: ring(n), work(n)
  integer :: step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    ring(i) = dble(rank + 1) + dble(mod(i, 37)) * 0.25d0
    work(i) = dble(mod(i, 11))
  end do
  do step = 1, 4
    call mpi_sendrecv_replace(ring, n, mpi_double_precision, next, 1, prev, 1, & ! trapped
                              mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      work(i) = work(i) * 0.5d0 + dble(mod(i + step, 13))
    end do
    ring(3) = dble(step) + work(3)
    ring(n) = ring(n) + 1.0d0
  end do
  do i = 1, n
    checksum = checksum + (ring(i) + work(i)) * dble(mod(i, 7) + 1)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program replaced_written_after
