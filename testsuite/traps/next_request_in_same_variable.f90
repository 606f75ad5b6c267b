! The wait for a request of a module can't move below a call that makes the next request in the same variable.
! expect: without sink-wait
module pending
  implicit none
  integer, parameter :: n = 20000
  integer :: request
  double precision :: rbuf(n), work(n)
end module pending

program next_request_in_same_variable
  use mpi
  use pending
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: sbuf(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  call begin(prev)
  do step = 1, 3
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    if (step < 3) call begin_over(prev)
    do i = 1, n
      checksum = checksum + work(i) * dble(mod(i, 7))
    end do
  end do
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program next_request_in_same_variable

subroutine begin(source)
  use mpi
  use pending
  implicit none
  integer, intent(in) :: source
  integer :: ierr

  work = 0.0d0
  call mpi_irecv(rbuf, n, mpi_double_precision, source, 1, mpi_comm_world, request, ierr)
end subroutine begin

! Keeps what has come, and receives again.
subroutine begin_over(source)
  use pending
  implicit none
  integer, intent(in) :: source

  call keep
  call begin_again(source)
end subroutine begin_over

subroutine keep
  use pending
  implicit none
  integer :: i

  do i = 1, n
    work(i) = rbuf(i)
  end do
end subroutine keep

subroutine begin_again(source)
  use mpi
  use pending
  implicit none
  integer, intent(in) :: source
  integer :: ierr

  call mpi_irecv(rbuf, n, mpi_double_precision, source, 1, mpi_comm_world, request, ierr)
end subroutine begin_again
