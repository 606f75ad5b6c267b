! A procedure keeps the address of its argument; by that another one reads what its caller receives into.
! flags: -fcray-pointer
! expect: without sink-wait strip-mine-consumer
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), field(n), work(n)
  integer :: rank, ranks, next, prev, ierr
  integer(8) :: kept
end module state

program cray_pointer_kept_address
  use mpi
  use state
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: i, step, request
  double precision :: shared(n), other(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  field = dble(rank + 1)
  shared = 0.0d0
  other = 1.0d0
  call remember(shared)
  do step = 1, 4
    call mpi_irecv(shared, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(mod(i, 7))
    end do
    call late
    call mpi_send(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    call look
    do i = 1, n
      field(i) = work(i) + shared(i)
    end do
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
end program cray_pointer_kept_address

subroutine remember(array)
  use state
  implicit none
  double precision :: array(n)

  kept = loc(array)
end subroutine remember

subroutine look
  use state
  implicit none
  integer :: i
  double precision :: lens(n)
  pointer (place, lens)

  place = kept
  do i = 1, n
    work(i) = lens(i) * 0.25d0
  end do
end subroutine look

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
