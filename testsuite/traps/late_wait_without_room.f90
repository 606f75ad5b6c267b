! What an exchange waits for at its end is needed behind a call that shares its line with the statement that needs it: that caller
! can't wait.
! expect: without sink-wait
module exchanges
  use mpi
  implicit none

  integer, parameter :: n = 100000
  integer :: left, right, ierr

contains

  subroutine exchange(a)
    double precision, intent(inout) :: a(2*n)

    call mpi_sendrecv(a(1), n, mpi_double_precision, right, 1, a(n+1), n, mpi_double_precision, left, 1, & ! trapped
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine exchange


  ! The last rank is late.
  subroutine be_late(is_late)
    logical, intent(in) :: is_late
    double precision :: started

    started = mpi_wtime()
    do while (is_late .and. mpi_wtime() - started < 0.2d0)
    end do
  end subroutine be_late

end module exchanges

program late_wait_without_room
  use mpi
  use exchanges
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i
  double precision :: a(2*n)
  double precision :: work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  do i = 1, n
    a(i) = dble(mod(i, 9) + rank)
    a(n+i) = -1.0d0
  end do
  call be_late(rank == ranks - 1)
  call exchange(a); checksum = sum(a(n+1:))
  call exchange(a)
  do i = 1, n
    work(i) = dble(mod(i, 7))
  end do
  checksum = checksum + sum(a(n+1:)) + sum(work)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program late_wait_without_room
