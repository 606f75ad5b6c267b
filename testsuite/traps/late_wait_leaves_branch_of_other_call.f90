! Two calls of one exchange in a branch. The first one's message is waited for behind the second call, and the second one's, which
! need not be made, behind the branch: where it was not made, what the first call has left is not to be waited for again.
! expect: handled
module exchanges
  use mpi
  implicit none

  integer, parameter :: n = 100000
  integer :: left, right, ierr

contains

  subroutine exchange(a)
    double precision, intent(inout) :: a(2*n)
    integer :: requests(2)

    call mpi_irecv(a(n+1), n, mpi_double_precision, left, 1, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(a(1), n, mpi_double_precision, right, 1, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
    call mpi_wait(requests(2), mpi_status_ignore, ierr) ! trapped
  end subroutine exchange

  subroutine swap(a)
    double precision, intent(inout) :: a(2*n)
    integer :: requests(2)

    call mpi_irecv(a(n+1), n, mpi_double_precision, left, 2, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_isend(a(1), n, mpi_double_precision, right, 2, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_wait(requests(1), mpi_status_ignore, ierr) ! trapped
    call mpi_wait(requests(2), mpi_status_ignore, ierr) ! trapped
  end subroutine swap

  subroutine work(b, a)
    double precision, intent(inout) :: b(n)
    double precision, intent(in) :: a(2*n)
    integer :: i

    do i = 1, n
      b(i) = b(i) * 0.5d0
    end do
    do i = 1, n
      b(i) = b(i) + a(n+i)
    end do
  end subroutine work

end module exchanges

program late_wait_leaves_branch_of_other_call
  use mpi
  use exchanges
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i, step
  double precision :: a(2*n), b(2*n), c(2*n), total(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  a = 0.0d0
  b = 0.0d0
  c = 0.0d0
  total = 0.0d0
  do step = 1, 6
    do i = 1, n
      a(i) = dble(mod(i * step, 9) + rank)
      b(i) = dble(mod(i * step, 7) + rank)
      c(i) = dble(mod(i * step, 5) + rank)
    end do
    if (mod(step, 2) == 0) then
      call exchange(a)
      do i = 1, n
        total(i) = total(i) * 0.75d0
      end do
      if (mod(step, 4) == 0) then
        call exchange(b)
      end if
      do i = 1, n
        total(i) = total(i) + 1.0d0
      end do
      do i = 1, n
        total(i) = total(i) + a(n+i)
      end do
    end if
    ! The first one's is waited for in a procedure that is called next.
    if (mod(step, 2) == 1) then
      call swap(a)
      call work(total, a)
      if (step == 3) then
        call swap(c)
      end if
      do i = 1, n
        total(i) = total(i) + 1.0d0
      end do
    end if
    do i = 1, n
      total(i) = total(i) * 0.5d0
    end do
    do i = 1, n
      total(i) = total(i) + b(n+i) + c(n+i)
    end do
  end do
  checksum = sum(total)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program late_wait_leaves_branch_of_other_call
