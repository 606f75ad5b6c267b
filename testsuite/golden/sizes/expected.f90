! Counts and bounds of loops are sizes of arrays.
program sizes
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  integer :: step
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 3
    ! gravel: posted here, was line 22: call mpi_irecv(rbuf, size(rbuf), mpi_double_precision, prev, 4, mpi...
    call gravel_post_rcv_buffer_rdma(rbuf, size(rbuf), mpi_double_precision, prev, 4, mpi_comm_world, request, &
         ierr)
    do i = lbound(sbuf, 1), ubound(sbuf, 1)
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    ! gravel: sent without waiting, was line 26: call mpi_send(sbuf, size(sbuf, 1), mpi_double_precision, n...
    call gravel_post_send(sbuf, size(sbuf, 1), mpi_double_precision, next, 4, mpi_comm_world, gravel_s1, ierr)
    ! gravel: waits here, was line 27: call mpi_wait(request, status, ierr)
    call gravel_wait(request, rbuf, status, ierr)
    do i = 1, size(rbuf)
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
    ! gravel: the wait moved here, was line 26: call mpi_send(sbuf, size(sbuf, 1), mpi_double_precision, ne...
    call gravel_wait(gravel_s1, sbuf)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program sizes
