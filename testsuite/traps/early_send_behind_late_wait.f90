! The procedure that receives leaves its wait to its caller, below work that does not look at what comes. That is sent on.
! expect: without hoist-send
program early_send_behind_late_wait
  use mpi
  implicit none

  integer, parameter :: n = 3000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: first, second
  double precision :: a(n), b(n), c(n), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0
  do step = 1, 3
    b = -step
    a = rank * step
    call mpi_irecv(c, n, mpi_double_precision, prev, 2, mpi_comm_world, second, ierr)
    call mpi_isend(a, n, mpi_double_precision, next, 1, mpi_comm_world, first, ierr)
    call fetch(b)
    call mpi_wait(first, mpi_status_ignore, ierr)
    do i = 1, n
      work(i) = sqrt(dble(i * step))
    end do
    call mpi_send(b, n, mpi_double_precision, next, 2, mpi_comm_world, ierr) ! trapped
    call mpi_wait(second, mpi_status_ignore, ierr)
    checksum = checksum + sum(c) + 2 * sum(b) + sum(work)
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

  subroutine fetch(values)
    double precision, intent(inout) :: values(n)
    integer :: code

    call mpi_recv(values, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, code)
  end subroutine fetch

end program early_send_behind_late_wait
