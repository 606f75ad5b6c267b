! What is received through a pointer in an object lies in an array that has a name of its own. Its wait completes a message in that
! array, so that the next receive into it must not be posted above the wait.
! expect: handled
program component_points_to_awaited
  implicit none
  include 'mpif.h'

  type view
    double precision, pointer :: values(:)
  end type view
  integer, parameter :: n = 20000, max_ranks = 16
  double precision, target :: field(n)
  type(view) :: window
  integer :: incoming, outgoing, ierr, rank, ranks, next, prev, i, step
  double precision :: sent(n), other(n), work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  window%values => field
  work = 1.0d0
  checksum = 0.0d0
  do step = 1, 3
    sent = dble(rank + step)
    other = dble(rank - step)
    call mpi_irecv(window%values(1), n, mpi_double_precision, prev, 2, mpi_comm_world, incoming, ierr)
    call mpi_isend(other, n, mpi_double_precision, next, 1, mpi_comm_world, outgoing, ierr)
    call mpi_send(sent, n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    do i = 1, n
      work(i) = sqrt(work(i) + dble(i))
    end do
    call mpi_wait(incoming, mpi_status_ignore, ierr)
    do i = 1, n
      work(i) = sqrt(work(i) + dble(i))
    end do
    call mpi_recv(field, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    call mpi_wait(outgoing, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + field(i)*dble(mod(i, 7)) + work(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program component_points_to_awaited
