! The caller has got what the exchange receives into a variable of the module as an argument.
! expect: handled
module exchanges
  use mpi
  implicit none

  integer, parameter :: n = 100000
  integer :: left, right, ierr
  double precision, target :: own(n), ghost(n)

contains

  subroutine fetch()
    call mpi_sendrecv(own, n, mpi_double_precision, right, 1, ghost, n, mpi_double_precision, left, 1, & ! trapped
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine fetch

  subroutine add_ghost(received, total)
    double precision, intent(in) :: received(n)
    double precision, intent(out) :: total
    integer :: i

    call fetch()
    total = 0.0d0
    do i = 1, n
      total = total + received(i) * i
    end do
    total = total + ghost(1)
  end subroutine add_ghost


  ! The last rank is late.
  subroutine be_late(is_late)
    logical, intent(in) :: is_late
    double precision :: started

    started = mpi_wtime()
    do while (is_late .and. mpi_wtime() - started < 0.2d0)
    end do
  end subroutine be_late

end module exchanges

program late_wait_awaited_argument
  use mpi
  use exchanges
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i
  double precision :: work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  do i = 1, n
    own(i) = dble(mod(i, 9) + rank)
    ghost(i) = -1.0d0
    work(i) = 0.0d0
  end do
  call be_late(rank == ranks - 1)
  call add_ghost(ghost, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program late_wait_awaited_argument
