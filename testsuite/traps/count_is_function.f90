! Count and tag are calls of a function that counts its calls: they may not be evaluated twice.
! expect: handled
program count_is_function
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: calls
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  calls = 0
  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, step, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, next_tag(), mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) * dble(step)
    end do
  end do
  checksum = checksum + dble(calls)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  integer function next_tag()
    calls = calls + 1
    next_tag = calls
  end function next_tag

end program count_is_function
