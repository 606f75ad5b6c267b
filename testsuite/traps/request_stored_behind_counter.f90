! The request is stored in an element whose number is counted up between the post and the store.
! expect: handled
program request_stored_behind_counter
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer, parameter :: n = 20000
  integer :: request, requests(3), k
  double precision :: sbuf(n), rbuf(n)
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
  rbuf = -1.0d0
  requests = mpi_request_null
  k = 1
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  k = k + 1
  requests(k) = request
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(requests(2), mpi_status_ignore, ierr) ! trapped
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  call mpi_waitall(3, requests, mpi_statuses_ignore, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program request_stored_behind_counter
