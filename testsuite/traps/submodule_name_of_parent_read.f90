! The body below the wait stands in a nested submodule and reads the array of the module that is received by the
! name that its parent has not hidden, although a submodule beside it has.
! expect: without sink-wait
module fields
  implicit none
  integer, parameter :: n = 20000
  double precision :: sbuf(n), rbuf(n), work(n)

  interface
    module subroutine settle(total)
      double precision, intent(inout) :: total
    end subroutine settle

    module subroutine scale()
    end subroutine scale
  end interface

end module fields

submodule (fields) outer
  implicit none
  double precision :: sbuf(n)

end submodule outer

submodule (fields:outer) inner
  implicit none

contains

  module procedure settle
    integer :: i

    do i = 1, n
      sbuf(i) = rbuf(i) * dble(mod(i, 7))
    end do
    do i = 1, n
      total = total + sbuf(i)
    end do
  end procedure settle

end submodule inner

submodule (fields) beside
  implicit none
  double precision :: rbuf(n) = 3.0d0

contains

  module procedure scale
    integer :: i

    do i = 1, n
      work(i) = rbuf(i) + work(i)
    end do
  end procedure scale

end submodule beside

program submodule_name_of_parent_read
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
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
  call settle(checksum)
  call scale()
  do i = 1, n
    checksum = checksum + work(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program submodule_name_of_parent_read
