! The wait for what is sent on has moved into the procedure that works with it, which is called below the place above which
! the message is complete.
! expect: handled
program early_send_behind_wait_in_callee
  use mpi
  implicit none

  integer, parameter :: n = 3000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: request, second
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
    call mpi_irecv(b, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(a, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    call relax(b)
    do i = 1, n
      work(i) = work(i) + sqrt(dble(i * step))
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

  subroutine relax(values)
    double precision, intent(in) :: values(n)
    integer :: k

    do k = 1, n
      work(k) = sqrt(dble(k * step + 1))
    end do
    do k = 1, n
      work(k) = work(k) + values(k)
    end do
  end subroutine relax

end program early_send_behind_wait_in_callee
