! Members of a COMMON block that all see alike are variables of their own, under whatever names: a subroutine reads what this
! program calls the receive buffer.
! expect: without hoist-receive
program common_member_by_another_name
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, send_request, i
  double precision :: sbuf(n), rbuf(n), work
  common /exchange_area/ sbuf, rbuf
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = dble(i)
  end do
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, send_request, ierr)
  work = 1.0d0
  do i = 1, 400000
    work = 1.0d0 + 1.0d0 / work
  end do
  checksum = work
  call add_second(checksum)
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  call mpi_wait(send_request, mpi_status_ignore, ierr)
  call add_second(checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program common_member_by_another_name

subroutine add_second(total)
  implicit none
  integer, parameter :: n = 20000
  double precision, intent(inout) :: total
  double precision :: rbuf(n), sbuf(n)
  common /exchange_area/ rbuf, sbuf
  integer :: i

  do i = n, 1, -1
    total = total + sbuf(i) * dble(mod(i, 7))
  end do
end subroutine add_second
