! Two variables of the module are declared where a flag decides it: nothing is known of them, and of the others everything.
module shared
  implicit none

  integer, parameter :: n = 100000
  double precision :: received(n), field(n)
#ifdef COUNTED
  integer, save :: steps = 0
  double precision, target :: between(n)
#endif

end module shared

program unread_names
  use mpi
  use shared
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, request
  double precision :: outgoing(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    outgoing(i) = dble(mod(i, 9) + rank)
  end do
  checksum = 0.0d0
  do i = 1, n
    field(i) = outgoing(i)*0.5d0
    checksum = checksum + sqrt(field(i))
  end do
  call mpi_irecv(received, n, mpi_double_precision, modulo(rank - 1, ranks), 1, mpi_comm_world, request, ierr)
  call mpi_send(outgoing, n, mpi_double_precision, modulo(rank + 1, ranks), 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + received(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program unread_names
