! A procedure that is called between reads what has been received by the name that it has for a member of a COMMON block.
! expect: handled
module exchanges
  use mpi
  implicit none

  integer, parameter :: n = 100000
  integer :: left, right, ierr

contains

  subroutine exchange()
    double precision :: a(n), ghost(n)
    common /halo/ a, ghost

    call mpi_sendrecv(a, n, mpi_double_precision, right, 1, ghost, n, mpi_double_precision, left, 1, & ! trapped
      mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine exchange

  subroutine add_ghost(total)
    double precision, intent(out) :: total
    double precision :: all(2*n)
    common /halo/ all

    total = sum(all(n+1:))
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

program late_wait_member_read_by_other_name
  use mpi
  use exchanges
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i
  double precision :: a(n), ghost(n)
  common /halo/ a, ghost
  double precision :: work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  do i = 1, n
    a(i) = dble(mod(i, 9) + rank)
    ghost(i) = -1.0d0
  end do
  call be_late(rank == ranks - 1)
  call exchange()
  do i = 1, n
    work(i) = dble(mod(i, 7))
  end do
  call add_ghost(checksum)
  checksum = checksum + sum(work) + ghost(1)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program late_wait_member_read_by_other_name
