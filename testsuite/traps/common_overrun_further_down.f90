! A COMMON block is cleared by its first member in a procedure whose caller doesn't know the block: the messages stay.
! expect: handled
program common_overrun_further_down
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: header(10), sbuf(n), rbuf(n)
  common /exchange_area/ header, sbuf, rbuf
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  header = 1.0d0
  rbuf = 2.0d0
  call middle(1)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
  checksum = sum(sbuf)
  call middle(2)
  checksum = checksum + sum(rbuf) + sum(sbuf)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program common_overrun_further_down

subroutine clear_block()
  implicit none
  integer, parameter :: n = 20000
  double precision :: header(10)
  common /exchange_area/ header
  integer :: i
  do i = 1, 10 + 2*n
    header(i) = 0.0d0
  end do
end subroutine clear_block
subroutine clear_part()
  implicit none
  integer, parameter :: n = 20000
  double precision :: header(10)
  common /exchange_area/ header
  integer :: i
  do i = 1, 10 + n
    header(i) = 0.0d0
  end do
end subroutine clear_part

subroutine middle(which)
  implicit none
  integer, intent(in) :: which
  if (which == 1) then
    call clear_block()
  else
    call clear_part()
  end if
end subroutine middle
