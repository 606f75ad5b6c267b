! Passes fields around the ring of processes.
module halo
  use mpi
  implicit none
  private
  public :: pass_on

contains

  subroutine pass_on(field, length, communicator, tag)
    integer, intent(in) :: length, communicator, tag
    double precision, intent(inout) :: field(length)
    double precision :: outgoing(length), incoming(length)
    integer :: rank, ranks, next, previous, request, i, ierr

    call mpi_comm_rank(communicator, rank, ierr)
    call mpi_comm_size(communicator, ranks, ierr)
    next = mod(rank + 1, ranks)
    previous = mod(rank - 1 + ranks, ranks)
    call mpi_irecv(incoming, length, mpi_double_precision, previous, tag, communicator, request, ierr)
    do i = 1, length
      outgoing(i) = 0.5d0 * field(i) + dble(rank)
    end do
    call mpi_send(outgoing, length, mpi_double_precision, next, tag, communicator, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, length
      field(i) = 0.5d0 * (field(i) + incoming(i))
    end do
  end subroutine pass_on

end module halo
