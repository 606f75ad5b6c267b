! Variables that nothing declares have names that begin like those of MPI. A call changes from whom is received.
! expect: without hoist-receive
! ranks: 3 4
program implicit_name_like_messaging
  use mpi
  implicit integer (m)

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, request, i, round
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  checksum = 0.0d0
  call partner(mpi_from, -1)
  call partner(mpi_to, 1)
  do round = 1, 3
    do i = 1, n
      sbuf(i) = dble(rank + round) * dble(mod(i, 9))
    end do
    call partner(mpi_to, round)
    call partner(mpi_from, -round)
    call mpi_irecv(rbuf, n, mpi_double_precision, mpi_from, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, mpi_to, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
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

  subroutine partner(who, shift)
    integer, intent(out) :: who
    integer, intent(in) :: shift

    who = modulo(rank + shift, ranks)
  end subroutine partner
end program implicit_name_like_messaging
