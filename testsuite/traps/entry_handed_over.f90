! Behind the wait a procedure is called that was handed the name of an entry, which reads the message.
! expect: without sink-wait
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), received(n), field(n), work(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program entry_handed_over
  use mpi
  use state
  implicit none
  integer, parameter :: max_ranks = 16
  integer :: i, step, request, status(mpi_status_size)
  double precision :: checksum, checksums(max_ranks)
  external :: clear, smooth

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  field = dble(rank + 1)
  received = 0.0d0
  work = 0.0d0
  do step = 1, 3
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(mod(i, 7))
    end do
    call late
    call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr) ! trapped
    call apply(smooth)
    do i = 1, n
      field(i) = work(i) + received(i) * 0.25d0
    end do
    call apply(clear)
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
end program entry_handed_over

subroutine clear
  use state
  implicit none
  work = 0.0d0
  return
  entry smooth
  work = received * 0.5d0
end subroutine clear

subroutine apply(act)
  implicit none
  external :: act
  call act
end subroutine apply

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
