! The subroutine may return from the middle of the loop, and then sends nothing at all.
! expect: without strip-mine-producer
program return_in_loop
  use mpi
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call fill_and_send(sbuf, n, step, rank, next)
    if (step == 2) call mpi_send(sbuf, 5, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    call mpi_get_count(status, mpi_double_precision, j, ierr)
    do i = 1, j
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program return_in_loop

! Fills a message and sends it, but gives up in the second step.
subroutine fill_and_send(message, length, step, rank, next)
  use mpi
  implicit none
  integer, intent(in) :: length, step, rank, next
  double precision, intent(inout) :: message(length)
  integer :: i, ierr

  do i = 1, length
    if (step == 2 .and. i == length / 2) return
    message(i) = dble(rank + step) * dble(mod(i, 9))
  end do
  call mpi_send(message, length, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
end subroutine fill_and_send
