! MPI_Comm_create_group is called by those who are in the group: rank 0 makes one for itself first and then that of both, rank 1
! that of both first. So both calls make one communicator, and a message on the one meets a receive on the other.
! expect: kept
! ranks: 2 4
program communicator_of_groups_made_second
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, first, second, world, both, own, unwritten
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), checksum, total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call mpi_comm_group(mpi_comm_world, world, ierr)
  call mpi_group_incl(world, 2, [0, 1], both, ierr)
  call mpi_group_incl(world, 1, [rank], own, ierr)
  call mpi_comm_create_group(mpi_comm_world, merge(both, own, rank == 1), 1, first, ierr)
  call mpi_comm_create_group(mpi_comm_world, merge(both, own, rank == 0), 1, second, ierr)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  rbuf = 0.0d0
  if (rank == 0) then
    call mpi_send(sbuf, n, mpi_double_precision, 1, 5, second, ierr) ! trapped
    call mpi_recv(rbuf, n, mpi_double_precision, 1, 5, second, status, ierr) ! trapped
  else if (rank == 1) then
    call mpi_recv(rbuf, n, mpi_double_precision, 0, 5, first, status, ierr)
    ! A mode that stays with MPI, to nobody.
    call mpi_bsend(sbuf, 0, mpi_double_precision, mpi_proc_null, 5, first, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, 0, 5, first, ierr)
  end if

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)', iostat=unwritten) 'received ', total
  call mpi_finalize(ierr)
end program communicator_of_groups_made_second
