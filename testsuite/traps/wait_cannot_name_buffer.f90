! The procedure that waits has no name for the buffers: the host compiler could keep what it has read of them before the
! wait.
! expect: handled
module pending
  implicit none
  integer :: request
end module pending

program wait_cannot_name_buffer
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    rbuf(i) = 1.0d0
  end do
  checksum = rbuf(1)
  call begin_receive(rbuf, n, prev)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call end_receive
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
end program wait_cannot_name_buffer

subroutine begin_receive(buffer, length, source)
  use mpi
  use pending
  implicit none
  integer, intent(in) :: length, source
  double precision, intent(inout) :: buffer(length)
  integer :: ierr

  call mpi_irecv(buffer, length, mpi_double_precision, source, 1, mpi_comm_world, request, ierr) ! trapped
end subroutine begin_receive

subroutine end_receive
  use mpi
  use pending
  implicit none
  integer :: ierr

  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
end subroutine end_receive
