! What stands between a call and what looks like a check of its error code stores something else in the variable.
! expect: without sink-wait
program error_code_overwritten
  use mpi
  implicit none

  integer, parameter :: n = 60000
  integer :: request, ierr, rank, ranks, i, step, next, prev
  double precision :: message(n), received(n), field(n), checksum, checksums(4)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  received = 0.0d0
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41))*0.25d0
  end do
  do step = 1, 3
    do i = 1, n
      message(i) = field(i)*0.5d0 + dble(step)
    end do
    call mpi_isend(message, n, mpi_double_precision, next, 0, mpi_comm_world, request, ierr)
    if (ierr /= mpi_success) stop 1
    call mpi_recv(received, n, mpi_double_precision, prev, 0, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    if (ierr /= mpi_success) stop 1
    ierr = step - 2
    ! No check: what was received is changed in two of three steps.
    if (ierr /= mpi_success) then
      do i = 1, n, 7
        received(i) = -received(i) + dble(step)
      end do
    end if
    do i = 1, n
      field(i) = sqrt(field(i) + dble(mod(i + step, 17)))
    end do
    do i = 1, n
      field(i) = field(i) + received(i)
    end do
    call mpi_wait(request, mpi_status_ignore, ierr)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i)*dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program error_code_overwritten
