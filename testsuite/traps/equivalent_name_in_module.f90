! What is received has another name by EQUIVALENCE, by which a procedure of its module reads it.
! expect: handled
module shared
  implicit none

  integer, parameter :: n = 100000
  double precision :: received(n), ghost(n), total
  equivalence (received, ghost)

contains

  subroutine add_up()
    total = sum(ghost)
  end subroutine add_up

end module shared

program equivalent_name_in_module
  use mpi
  use shared
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, request
  double precision :: outgoing(n), started, checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    outgoing(i) = dble(mod(i, 9) + rank)
    received(i) = -1.0d0
  end do
  call mpi_irecv(received, n, mpi_double_precision, modulo(rank - 1, ranks), 1, mpi_comm_world, request, ierr) ! trapped
  ! The last rank is late.
  started = mpi_wtime()
  do while (rank == ranks - 1 .and. mpi_wtime() - started < 0.2d0)
  end do
  call mpi_send(outgoing, n, mpi_double_precision, modulo(rank + 1, ranks), 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  call add_up()
  checksum = total + received(1)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program equivalent_name_in_module
