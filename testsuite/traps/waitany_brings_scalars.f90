! Each of several waits for any may bring any of several members of a COMMON block, each of which was read before.
! expect: handled
program waitany_brings_scalars
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: a, b, c
  double precision :: x, sent(3), seen(3)
  integer :: requests(6), which, k
  common /halo/ a, b, c
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  a = 1.0d0
  b = 2.0d0
  c = 3.0d0
  x = a + b + c
  sent = (/ dble(rank + 10), dble(rank + 20), dble(rank + 30) /)
  seen = 0.0d0
  call mpi_irecv(a, 1, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_irecv(b, 1, mpi_double_precision, prev, 2, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_irecv(c, 1, mpi_double_precision, prev, 3, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_isend(sent(1), 1, mpi_double_precision, next, 1, mpi_comm_world, requests(4), ierr) ! trapped
  call mpi_isend(sent(2), 1, mpi_double_precision, next, 2, mpi_comm_world, requests(5), ierr) ! trapped
  call mpi_isend(sent(3), 1, mpi_double_precision, next, 3, mpi_comm_world, requests(6), ierr) ! trapped
  do k = 1, 6
    call mpi_waitany(6, requests, which, mpi_status_ignore, ierr) ! trapped
    select case (which)
    case (1)
      seen(1) = a
    case (2)
      seen(2) = b
    case (3)
      seen(3) = c
    case default
      do i = 1, n
        x = x + 0.5d0
      end do
    end select
  end do
  checksum = seen(1) + 100.0d0 * seen(2) + 1.0d4 * seen(3) + x + 1.0d6 * (a + b + c)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program waitany_brings_scalars
