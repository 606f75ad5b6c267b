! A block begins with a call of MPI that a post may pass, and goes on with a procedure that receives a message with
! the same tag. The post of the receive below must not pass the block.
! expect: without hoist-receive
module exchanges
  use mpi
  implicit none

contains

  subroutine exchange(sbuf, rbuf, n, next, prev)
    integer, intent(in) :: n, next, prev
    double precision, intent(in) :: sbuf(n)
    double precision, intent(out) :: rbuf(n)
    integer :: request, ierr, i

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      rbuf(i) = rbuf(i) * 0.5d0
    end do
  end subroutine exchange

end module exchanges

program order_behind_call_in_block
  use mpi
  use exchanges
  implicit none

  integer, parameter :: n = 2000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  double precision :: sbuf(n), first(n), second(n), other(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    other(i) = dble(rank + 5) * dble(mod(i, 4))
  end do
  checksum = 0.0d0

  do step = 1, 2
    call mpi_barrier(mpi_comm_world, ierr)
    call exchange(sbuf, first, n, next, prev)
  end do
  call mpi_irecv(second, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(other, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + first(i) * dble(mod(i, 7)) + second(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program order_behind_call_in_block
