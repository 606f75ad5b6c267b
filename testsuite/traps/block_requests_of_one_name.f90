! Two BLOCK constructs, one in the other, have requests of one name.
! expect: handled
program block_requests_of_one_name
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), tbuf(n)
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
  block
    integer :: requests(2)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
    block
      integer :: requests(2)
      call mpi_irecv(tbuf, n, mpi_double_precision, next, 2, mpi_comm_world, requests(1), ierr) ! trapped
      call mpi_isend(sbuf, n, mpi_double_precision, prev, 2, mpi_comm_world, requests(2), ierr) ! trapped
      do i = 1, n
        checksum = checksum + dble(mod(i, 5))
      end do
      call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    end block
    do i = 1, n
      checksum = checksum + tbuf(i) * dble(mod(i, 3))
    end do
    call mpi_wait(requests(2), status, ierr) ! trapped
    call mpi_wait(requests(1), status, ierr) ! trapped
  end block
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program block_requests_of_one_name
