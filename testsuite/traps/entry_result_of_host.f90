! The message is received into the result of an entry, which is the memory of the function's own result: that is read behind the wait.
! expect: without sink-wait strip-mine-consumer
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), received(n), field(n), work(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program entry_result_of_host
  use mpi
  use state
  implicit none
  integer, parameter :: max_ranks = 16
  integer :: i, step
  double precision :: checksum, checksums(max_ranks)
  double precision, external :: fetch, unchanged

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  field = dble(rank + 1)
  received = 0.0d0
  work = 0.0d0
  do step = 1, 3
    checksum = fetch()
    field = field + checksum
    checksum = unchanged()
    field = field + checksum
  end do
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
end program entry_result_of_host

double precision function unchanged() result (own)
  use mpi
  use state
  implicit none
  double precision :: fetch
  integer :: i, request, status(mpi_status_size)

  own = field(1) * 0.25d0
  return
  entry fetch()
  outgoing(1) = field(1) * 0.5d0 + 7.0d0
  call late
  call mpi_irecv(fetch, 1, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(outgoing, 1, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr) ! trapped
  do i = 1, n
    work(i) = own * 0.5d0
  end do
  do i = 1, n
    field(i) = fetch + work(i)
  end do
end function unchanged

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
