! Results that come from whoever is ready, each by a synchronous send: the messages are announced, short ones too.
program collect
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, sender, i
  integer :: status(mpi_status_size)
  double precision :: results(n), taken(n), sums(n), last

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    sums(i) = 0.0d0
  end do
  last = 0.0d0
  if (rank > 0) then
    do i = 1, n
      results(i) = dble(rank) * dble(mod(i, 17)) * 0.5d0
    end do
    call mpi_ssend(results, n, mpi_double_precision, 0, 1, mpi_comm_world, ierr)
    call mpi_ssend(results(3), 1, mpi_double_precision, 0, 2, mpi_comm_world, ierr)
  else
    do sender = 1, ranks - 1
      do i = 1, n
        sums(i) = sums(i) * 1.0d0
      end do
      call mpi_recv(taken, n, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, status, ierr)
      do i = 1, n
        sums(i) = sums(i) + taken(i)
      end do
    end do
    do sender = 1, ranks - 1
      call mpi_recv(taken, 1, mpi_double_precision, mpi_any_source, 2, mpi_comm_world, status, ierr)
      last = last + taken(1)
    end do
    write (*, '(a,2es24.16)') 'sums ', sum(sums), last
  end if
  call mpi_finalize(ierr)
end program collect
