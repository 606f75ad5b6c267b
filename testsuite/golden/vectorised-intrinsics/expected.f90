! A loop that the compiler vectorises with other versions of the functions than it uses for single elements: tiles could
! change the last bits, so it stays in one piece.
program vectorised_intrinsics
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 30011
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), phase(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    phase(i) = dble(rank + 1) * dble(i) / dble(n)
  end do
  do step = 1, 3
    ! gravel: posted here, was line 24: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 14, mpi_comm_wo...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 14, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = sin(phase(i)) * exp(-phase(i) * 0.5d0)
    end do
    ! gravel: sent without waiting, was line 28: call mpi_send(sbuf, n, mpi_double_precision, next, 14, mpi...
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 14, mpi_comm_world, gravel_s1, ierr)
    ! gravel: moved away from here, was line 29: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 29: call mpi_wait(request, status, ierr)
    gravel_step1 = gravel_tile(request, n)
    if (gravel_step1 >= n) call gravel_wait(request, rbuf, status)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         phase(i) = phase(i) + 0.25d0 * rbuf(i)
       end do
    end do
    if (gravel_step1 < n) call gravel_wait(request, rbuf, status)
    ! gravel: the wait moved here, was line 28: call mpi_send(sbuf, n, mpi_double_precision, next, 14, mpi_...
    call gravel_wait(gravel_s1, sbuf)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + phase(i) * dble(mod(i, 19))
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
end program vectorised_intrinsics
