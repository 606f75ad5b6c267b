! The call receives, through a pointer, into a variable that says where its status goes.
! expect: kept unrepeatable-arguments
program status_index_behind_pointer
  implicit none
  include 'mpif.h'

  integer, parameter :: max_ranks = 16
  integer, target :: box(10)
  integer, pointer :: lens(:)
  integer :: statuses(mpi_status_size, 3), sent(10), request, ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  statuses = 0
  lens => box
  box = 2
  sent = 3
  call mpi_isend(sent, 10, mpi_integer, next, 7, mpi_comm_world, request, ierr)
  call mpi_recv(lens(1), 10, mpi_integer, prev, 7, mpi_comm_world, statuses(:, box(4)), ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = dble(statuses(mpi_tag, 2)) + 100.0d0*dble(statuses(mpi_tag, 3)) + dble(sum(box))

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program status_index_behind_pointer
