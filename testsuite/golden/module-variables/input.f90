! Buffers, field and neighbours live in a module; the communication in a subroutine of that module.
module ring_data
  use mpi
  implicit none
  private
  public :: n, field, rank, ranks, set_up, exchange

  integer, parameter :: n = 40000
  integer, parameter :: tag = 8
  integer :: rank, ranks, next, prev
  double precision :: sbuf(n), rbuf(n), field(n)

contains

  subroutine set_up
    integer :: i

    next = mod(rank + 1, ranks)
    prev = mod(rank - 1 + ranks, ranks)
    do i = 1, n
      field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
    end do
  end subroutine set_up

  subroutine exchange(step)
    integer, intent(in) :: step
    integer :: i, request, ierr
    integer :: status(mpi_status_size)

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, tag, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = field(i) + 0.5d0 * dble(step)
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, tag, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      field(i) = 0.5d0 * (field(i) + rbuf(i))
    end do
  end subroutine exchange

end module ring_data

program module_variables
  use mpi
  use ring_data
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, i, step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  call set_up
  do step = 1, 3
    call exchange(step)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 15))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program module_variables
