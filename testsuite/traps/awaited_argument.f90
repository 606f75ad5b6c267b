! The procedure that waits has got what is received as an argument, and knows it as a variable of the module, too: a wait that
! moves down to where the module's name stands has passed the loop that reads the argument.
! expect: handled
module received
  implicit none
  integer, parameter :: n = 200000
  double precision :: field(n), work(n)
  integer :: request
end module received

program awaited_argument
  use mpi
  use received
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: outgoing(n), started
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  field = 0.0d0
  call start(prev)
  ! The last rank is late.
  started = mpi_wtime()
  do while (rank == ranks - 1 .and. mpi_wtime() - started < 0.2d0)
  end do
  do i = 1, n
    outgoing(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call finish(field, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program awaited_argument

subroutine start(source)
  use mpi
  use received
  implicit none
  integer, intent(in) :: source
  integer :: ierr

  call mpi_irecv(field, n, mpi_double_precision, source, 1, mpi_comm_world, request, ierr)
end subroutine start

subroutine finish(u, total)
  use mpi
  use received
  implicit none
  double precision, intent(in) :: u(n)
  double precision, intent(out) :: total
  integer :: ierr, i

  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  total = 0.0d0
  do i = 1, n
    total = total + u(i) * dble(mod(i, 3))
  end do
  do i = 1, n
    work(i) = total + dble(i)
  end do
  total = total + work(n) + field(1)
end subroutine finish
