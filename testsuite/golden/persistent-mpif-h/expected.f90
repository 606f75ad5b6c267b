! Persistent receives meet ordinary sends. Statuses are looked at, and a request is started again at once.
program persistent_mpif_h
  use gravel
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 30000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, ierr, left, right, i, step, length, other
  integer :: request, status(mpi_status_size)
  double precision :: field(n), from_left(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = mod(rank - 1 + ranks, ranks)
  right = mod(rank + 1, ranks)
  do i = 1, n
    field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
  end do
  request = mpi_request_null
  ! gravel: described once, for each start, was line 21: call mpi_recv_init(from_left, n, mpi_double_precis...
  call gravel_prepare_receive(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, request, ierr)
  ! gravel: started here, was line 22: call mpi_start(request, ierr)
  call gravel_start(request, from_left, ierr)
  checksum = 0.0d0
  do step = 1, 4
    ! gravel: sent without waiting, was line 25: call mpi_isend(field, n - step, mpi_double_precision, righ...
    call gravel_post_send(field, n - step, mpi_double_precision, right, 1, mpi_comm_world, other, ierr)
    do i = 1, n
      checksum = checksum + field(i) * dble(mod(i, 9))
    end do
    ! gravel: waits here, was line 29: call mpi_wait(request, status, ierr)
    call gravel_wait(request, from_left, status, ierr)
    ! gravel: waits here, was line 30: call mpi_wait(other, mpi_status_ignore, ierr)
    call gravel_wait(other, field, ierr)
    call mpi_get_count(status, mpi_double_precision, length, ierr)
    do i = 1, length
      field(i) = 0.5d0 * field(i) - 0.25d0 * from_left(i)
    end do
    ! gravel: started here, was line 35: call mpi_start(request, ierr)
    if (step < 4) call gravel_start(request, from_left, ierr)
  end do
  ! gravel: released here, was line 37: call mpi_request_free(request, ierr)
  call gravel_release(request, ierr)
  checksum = checksum + dble(length)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program persistent_mpif_h
