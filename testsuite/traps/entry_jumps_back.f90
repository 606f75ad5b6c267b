! Behind its post the entry jumps back to where the message is read and waited for, in front of the ENTRY statement.
! expect: without sink-wait
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), received(n), field(n), work(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program entry_jumps_back
  use mpi
  use state
  implicit none
  integer, parameter :: max_ranks = 16
  integer :: i, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  field = dble(rank + 1)
  received = 0.0d0
  work = 0.0d0
  do step = 1, 3
    call start
  end do
  call finish
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 11))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program entry_jumps_back

subroutine finish
  use mpi
  use state
  implicit none
  integer, save :: request = mpi_request_null
  integer :: i, status(mpi_status_size)

10 continue
  do i = 1, n
    work(i) = dble(mod(i, 3)) * 0.5d0
  end do
  call mpi_wait(request, status, ierr) ! trapped
  do i = 1, n
    field(i) = work(i) + received(i) * 0.25d0
  end do
  return
  entry start
  do i = 1, n
    outgoing(i) = field(i) * 0.5d0 + dble(mod(i, 7))
  end do
  call late
  call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  go to 10
end subroutine finish

! The last rank is late.
subroutine late
  use mpi
  use state
  implicit none
  double precision :: started

  started = mpi_wtime()
  do while (rank == ranks - 1 .and. mpi_wtime() - started < 0.05d0)
  end do
end subroutine late
