! Even processes send and receive, odd ones use MPI_Sendrecv: its two halves match plain calls.
! expect: handled
program sendrecv_partner
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: partner
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  partner = rank + 1 - 2 * mod(rank, 2)
  if (partner >= ranks) partner = mpi_proc_null
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
  end do
  if (mod(rank, 2) == 0) then
    call mpi_send(sbuf, n, mpi_double_precision, partner, 1, mpi_comm_world, ierr) ! trapped
    call mpi_recv(rbuf, n, mpi_double_precision, partner, 1, mpi_comm_world, status, ierr) ! trapped
  else
    call mpi_sendrecv(sbuf, n, mpi_double_precision, partner, 1, rbuf, n, mpi_double_precision, &
                      partner, 1, mpi_comm_world, status, ierr)
  end if
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program sendrecv_partner
