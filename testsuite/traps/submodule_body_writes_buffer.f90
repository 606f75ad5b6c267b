! What is called below the wait stands in a submodule, without declarations of its arguments: it writes the one
! that is received.
! expect: without sink-wait
module fields
  implicit none
  integer, parameter :: n = 20000

  interface
    module subroutine settle(values, others)
      double precision, intent(inout) :: values(n), others(n)
    end subroutine settle
  end interface

end module fields

submodule (fields) settling
  implicit none

contains

  module procedure settle
    integer :: i

    do i = 1, n
      others(i) = sqrt(others(i))
      values(i) = values(i) * 0.5d0 + others(i)
    end do
  end procedure settle

end submodule settling

program submodule_body_writes_buffer
  use mpi
  use fields
  implicit none

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
    work(i) = dble(i)
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr) ! trapped
  call settle(rbuf, work)
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
end program submodule_body_writes_buffer
