! Procedures that send and receive leave the call out where there is nobody. Who has no neighbour hands them a count
! that makes no sense. Who only replaces the neighbour by nobody hands that count on to the runtime.
! expect: handled
! ranks: 1 2 3 4
program wrapper_count_of_nobody
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, above, below, outgoing, incoming, i
  double precision :: sbuf(n), rbuf(n), scratch(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  above = rank + 1
  below = rank - 1
  outgoing = n
  incoming = n
  if (above == ranks) then
    above = -7
    outgoing = -4
  end if
  if (below < 0) incoming = -12345
  rbuf = 0.25d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call hand_on(sbuf, outgoing, above) ! trapped
  do i = 1, n
    scratch(i) = dble(mod(i, 7)) * 0.5d0
  end do
  call take(rbuf, incoming, below) ! trapped
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * scratch(i) + sbuf(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine hand_on(values, count, to)
    integer, intent(in) :: count, to
    double precision, intent(in) :: values(*)
    integer :: ierr

    if (to >= 0) call mpi_send(values, count, mpi_double_precision, to, 3, mpi_comm_world, ierr)
  end subroutine hand_on

  subroutine take(values, count, from)
    integer, intent(in) :: count, from
    double precision, intent(inout) :: values(*)
    integer :: ierr

    if (from < 0) return
    call mpi_recv(values, count, mpi_double_precision, from, 3, mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine take

end program wrapper_count_of_nobody
