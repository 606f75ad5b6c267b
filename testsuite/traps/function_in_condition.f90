! The post stands under a condition that a function gives, which counts its calls: asked twice it says something
! else.
! expect: without hoist-receive
module turns
  implicit none
  integer :: asked = 0

contains

  logical function is_first()
    asked = asked + 1
    is_first = asked == 1
  end function is_first

end module turns

program function_in_condition
  use mpi
  use turns
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
  end do
  do i = 1, n
    work(i) = sqrt(dble(i + rank))
  end do
  if (is_first()) then
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
  end if
  checksum = dble(asked)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + work(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program function_in_condition
