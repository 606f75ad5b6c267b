! The request of a large send is released, not waited for. That its message has left its buffer is known by the token that
! the receiver sends back; only then is it filled anew. (MPICH 4.0 loses what a process sends
! to itself in this way: it needs two of them.)
! expect: without sink-wait
! ranks: 2 4
program written_behind_released_send
  use mpi
  implicit none

  integer, parameter :: n = 200000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, other, token, i
  double precision :: field(n), first(n), more(n), again(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 9))
    more(i) = dble(rank + 7) * dble(mod(i, 5))
  end do
  checksum = 0.0d0

  call mpi_isend(field, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_request_free(request, ierr)
  call mpi_isend(more, n, mpi_double_precision, next, 2, mpi_comm_world, other, ierr)
  do i = 1, 20 * n
    checksum = checksum + 0.25d0 * dble(mod(i, 11))
  end do
  call mpi_recv(first, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
  call mpi_send(rank, 1, mpi_integer, prev, 3, mpi_comm_world, ierr)
  call mpi_recv(token, 1, mpi_integer, next, 3, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    field(i) = dble(rank + 3) * dble(mod(i, 4))
  end do
  call mpi_recv(again, n, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr)
  call mpi_wait(other, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + first(i) * dble(mod(i, 7)) + (field(i) + again(i)) * dble(mod(i, 3)) + dble(token)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program written_behind_released_send
