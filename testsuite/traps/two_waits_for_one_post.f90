! The receive is waited for at one of two places, and the subroutine returns between them.
! expect: handled
program two_waits_for_one_post
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  checksum = 0.0d0
  do step = 1, 4
    call exchange(mod(step, 2) == 0)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) * dble(step)
      sbuf(i) = sbuf(i) + 0.5d0 * rbuf(i)
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

contains

  subroutine exchange(in_a_hurry)
    logical, intent(in) :: in_a_hurry
    integer :: m, request

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    if (in_a_hurry) then
      call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
      return
    end if
    do m = 1, n
      sbuf(m) = sbuf(m) * 0.5d0
    end do
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end subroutine exchange

end program two_waits_for_one_post
