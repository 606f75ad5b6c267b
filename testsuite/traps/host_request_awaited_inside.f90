! The main program posts into a request of its own, and the procedure inside it waits for it before it reads what has come.
! expect: handled
program host_request_awaited_inside
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  rbuf = -1.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call add_up
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine add_up
    integer :: k

    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do k = 1, n
      checksum = checksum + rbuf(k) * dble(mod(k, 7))
    end do
  end subroutine add_up

end program host_request_awaited_inside
