! A source is any: an initial value between slashes says so, where behind its comma a variable could be declared. The receive
! can't tell its senders where its buffer is, and no part of the message is waited for by itself.
! expect: without strip-mine-consumer hoist-receive
! ranks: 3 4
program wildcard_in_old_initial_values
  use mpi
  implicit none
  integer, parameter :: n = 100
  integer sources(2) /0, mpi_any_source/
  double precision, save :: sbuf(n), rbuf(n), total(n)
  integer :: rank, ranks, i, k, ierr
  integer :: status(mpi_status_size)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  total = 0
  if (rank == 0) then
    do k = 1, ranks - 1
      call mpi_recv(rbuf, n, mpi_double_precision, sources(min(k + 1, 2)), 7, mpi_comm_world, status, ierr) ! trapped
      do i = 1, n
        total(i) = total(i) + rbuf(i)
      end do
    end do
    print *, sum(total)
  else
    do i = 1, n
      sbuf(i) = dble(rank) * i
    end do
    call mpi_send(sbuf, n, mpi_double_precision, 0, 7, mpi_comm_world, ierr) ! trapped
  end if
  call mpi_finalize(ierr)
end program wildcard_in_old_initial_values
