! A function gives one of two tags, by an assignment that a second one overwrites under a condition; messages with one of them stay
! with MPI, as there is a probe on a line with another statement.
! expect: kept
program tag_of_function
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer, parameter :: n = 20000
  integer :: first, second, step, status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 2
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    if (step == 1) then
      call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, first, ierr) ! trapped
    else
      call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, second, ierr) ! trapped
      call mpi_probe(prev, 2, mpi_comm_world, status, ierr); ierr = 0
    end if
    call mpi_recv(rbuf, n, mpi_double_precision, prev, tag_of(step), mpi_comm_world, status, ierr) ! trapped
    if (step == 1) then
      call mpi_wait(first, mpi_status_ignore, ierr) ! trapped
    else
      call mpi_wait(second, mpi_status_ignore, ierr) ! trapped
    end if
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) * step
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  integer function tag_of(step)
    integer, intent(in) :: step

    tag_of = 1
    if (step == 2) tag_of = 2
  end function tag_of

end program tag_of_function
