! EXIT leaves the BLOCK between the loop that fills a message and its send, and between post and wait.
! expect: without strip-mine-producer
program block_left_by_name
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 4
    request = mpi_request_null
    work: block
      logical :: is_quiet
      is_quiet = mod(step, 2) == 0
      if (.not. is_quiet) then
        call mpi_irecv(rbuf, n, mpi_double_precision, prev, step, mpi_comm_world, request, ierr)
      end if
      do i = 1, n
        sbuf(i) = dble(rank + step) * dble(mod(i, 9))
      end do
      if (is_quiet) exit work
      call mpi_send(sbuf, n, mpi_double_precision, next, step, mpi_comm_world, ierr) ! trapped
      call mpi_wait(request, status, ierr)
      do i = 1, n
        checksum = checksum + rbuf(i) * dble(mod(i, 7))
      end do
    end block work
    do i = 1, n
      checksum = checksum + sbuf(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program block_left_by_name
