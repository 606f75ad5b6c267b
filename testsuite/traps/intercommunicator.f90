! Messages between the two groups of an intercommunicator: ranks count in the other group, and the runtime
! can't be attached to it, nor to a duplicate.
! ranks: 2 4
! expect: handled
program intercommunicator
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: part, bridge, copy, partner
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_comm_split(mpi_comm_world, mod(rank, 2), rank, part, ierr)
  call mpi_intercomm_create(part, 0, mpi_comm_world, 1 - mod(rank, 2), 9, bridge, ierr)
  call mpi_comm_dup(bridge, copy, ierr)
  call mpi_comm_rank(part, partner, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, partner, 1, copy, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, partner, 1, copy, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  call mpi_comm_free(copy, ierr)
  call mpi_comm_free(bridge, ierr)
  call mpi_comm_free(part, ierr)
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
end program intercommunicator
