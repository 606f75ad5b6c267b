! Post and wait stand under conditions that say the same in different words.
! expect: handled
program wait_under_other_condition
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  logical :: first, last
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  first = rank == 0
  last = rank == ranks - 1
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
  end do
  if (rank > 0) call mpi_irecv(rbuf, n, mpi_double_precision, rank - 1, 1, mpi_comm_world, & ! trapped
                               request, ierr)
  if (rank + 1 < ranks) call mpi_send(sbuf, n, mpi_double_precision, rank + 1, 1, mpi_comm_world, ierr)
  if (last) checksum = 1.0d0
  if (.not. first) call mpi_wait(request, status, ierr) ! trapped
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
end program wait_under_other_condition
