! What a test brings is a number that was read before, and is read where the test says that it has come, and again below the
! loop.
! expect: handled
program test_brings_scalar
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: mark
  double precision :: sent, x(n)
  integer :: receive, send, rounds
  logical :: has_come
  common /halo/ mark
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    x(i) = dble(mod(i, 9))
  end do
  mark = -1.0d0
  sent = dble(rank + 5)
  checksum = mark
  call mpi_irecv(mark, 1, mpi_double_precision, prev, 1, mpi_comm_world, receive, ierr) ! trapped
  call mpi_isend(sent, 1, mpi_double_precision, next, 1, mpi_comm_world, send, ierr) ! trapped
  has_come = .false.
  rounds = 0
  do while (.not. has_come)
    rounds = rounds + 1
    do i = 1, n
      x(i) = x(i) + 1.0d0
    end do
    call mpi_test(receive, has_come, mpi_status_ignore, ierr) ! trapped
    if (has_come) checksum = checksum + mark
  end do
  call mpi_wait(send, mpi_status_ignore, ierr)
  sent = -1.0d0
  checksum = checksum * 10.0d0 + mark
  do i = 1, n
    checksum = checksum + x(i) - dble(rounds)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program test_brings_scalar
