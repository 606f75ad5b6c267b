! A message may be sent from the array that it is copied from, which is written by its other name while the copy is under way.
! expect: handled
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: shared(n), incoming(n), work(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program alias_of_copied
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

  do i = 1, n
    shared(i) = dble(rank + 1) + dble(mod(i, 37)) * 0.25d0
  end do
  do step = 1, 4
    call exchange(shared)
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + (shared(i)) * dble(mod(i, 11))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alias_of_copied

subroutine exchange(u)
  use mpi
  use state
  implicit none
  double precision, intent(inout) :: u(n)
  double precision :: buffer(n)
  integer :: i, request, status(mpi_status_size)

  call mpi_irecv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  do i = 1, n
    buffer(i) = u(i)
  end do
  call mpi_send(buffer, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  do i = 1, n
    work(i) = dble(mod(i, 3)) * 0.5d0
  end do
  do i = 1, n
    shared(i) = -shared(i)
  end do
  call mpi_wait(request, status, ierr)
  do i = 1, n
    u(i) = u(i) * 0.5d0 + incoming(i) + work(i)
  end do
end subroutine exchange
