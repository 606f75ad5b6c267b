! Procedures that do nothing but such a call: one is handed the whole array, the other a part of it, of which the
! caller forgets how long it was.
! expect: handled
program replaced_by_procedure
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: ring(n), work(n)
  integer :: step
  integer :: length, start
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
    call shift(ring, n, next, prev) ! trapped
    do i = 1, n
      work(i) = work(i) * 0.5d0 + dble(mod(i + step, 13))
    end do
    start = 1 + 10 * step
    length = n / 2
    call shift(ring(start), length, prev, next) ! trapped
    start = 1
    length = 7
    do i = 1, n
      work(i) = work(i) * 0.5d0 + dble(mod(i + step, 13))
    end do
    ring(length) = ring(length) + ring(start)
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

contains

  subroutine shift(values, count, to, from)
    integer, intent(in) :: count, to, from
    double precision, intent(inout) :: values(count)
    integer :: error
    call mpi_sendrecv_replace(values, count, mpi_double_precision, to, 4, from, 4, mpi_comm_world, &
                              mpi_status_ignore, error)
  end subroutine shift

end program replaced_by_procedure
