! The wait for a non-blocking send stands directly behind it; the buffer is read, but not
! written, for a while after that.
program send_wait_sunk
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, send_request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), inner(n)
  double precision :: checksum, checksums(max_ranks)
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 101))
  end do
  do step = 1, 3
    ! gravel: posted here, was line 25: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 21, mpi_comm_wo...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 21, mpi_comm_world, request, ierr)
    ! gravel: sent without waiting, was line 26: call mpi_isend(sbuf, n, mpi_double_precision, next, 21, mp...
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 21, mpi_comm_world, send_request, ierr)
    ! gravel: moved away from here, was line 27: call mpi_wait(send_request, status, ierr)
    ierr = 0
    do i = 1, n
      inner(i) = sbuf(i) * 0.25d0 + dble(step)
    end do
    ! gravel: moved away from here, was line 31: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: the wait moved here, was line 27: call mpi_wait(send_request, status, ierr)
    call gravel_wait(send_request, sbuf, status)
    ! gravel: waits here for what each tile reads, was line 31: call mpi_wait(request, status, ierr)
    gravel_step1 = gravel_tile(request, n)
    if (gravel_step1 >= n) call gravel_wait(request, rbuf, status)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = inner(i) + rbuf(i) * 0.5d0
       end do
    end do
    if (gravel_step1 < n) call gravel_wait(request, rbuf, status)
  end do
  do i = 1, n
    checksum = checksum + sbuf(i) * dble(mod(i, 13))
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
end program send_wait_sunk
