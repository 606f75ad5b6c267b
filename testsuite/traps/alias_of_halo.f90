! Only the first iteration reads what is received by the name that it is received by; all of them read it by its other name.
! expect: without split-loop sink-wait
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: grid(0:n + 1), outgoing(1), field(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program alias_of_halo
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
  do step = 1, 4
    do i = 0, n + 1
      grid(i) = dble(mod(i * step, 9)) + dble(rank)
    end do
    call exchange(grid)
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + (field(i)) * dble(mod(i, 11))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alias_of_halo

subroutine exchange(u)
  use mpi
  use state
  implicit none
  double precision, intent(inout) :: u(0:n + 1)
  integer :: i, request, status(mpi_status_size)

  call mpi_irecv(u(0), 1, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  outgoing(1) = u(n)
  call late
  call mpi_send(outgoing, 1, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr) ! trapped
  do i = 1, n
    field(i) = field(i) * 0.5d0 + u(i - 1) + grid(0) * 0.25d0
  end do
end subroutine exchange

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
