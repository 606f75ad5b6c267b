! The length of the messages comes by a persistent receive of a single number, which no statement stores anything to.
! expect: handled
module lengths
  use mpi
  implicit none

  integer :: length = 0, outgoing_length = 0
  integer :: incoming, outgoing

contains

  subroutine setup(next, prev)
    integer, intent(in) :: next, prev
    integer :: ierr

    call mpi_recv_init(length, 1, mpi_integer, prev, 1, mpi_comm_world, incoming, ierr)
    call mpi_send_init(outgoing_length, 1, mpi_integer, next, 1, mpi_comm_world, outgoing, ierr)
  end subroutine setup

  subroutine agree(wanted)
    integer, intent(in) :: wanted
    integer :: ierr

    outgoing_length = wanted
    call mpi_start(incoming, ierr)
    call mpi_start(outgoing, ierr)
    call mpi_wait(incoming, mpi_status_ignore, ierr)
    call mpi_wait(outgoing, mpi_status_ignore, ierr)
  end subroutine agree

end module lengths

program persistent_length_received
  use mpi
  use lengths
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, posted, i, step
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  rbuf = 0.0d0
  sbuf = dble(rank + 1)

  call setup(next, prev)
  call agree(n)
  do step = 1, 3
    call mpi_irecv(rbuf, length, mpi_double_precision, prev, 2, mpi_comm_world, posted, ierr) ! trapped
    call mpi_send(sbuf, outgoing_length, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    call agree(n / (step + 1))
    call mpi_wait(posted, mpi_status_ignore, ierr) ! trapped
    do i = n, length + 1, -1
      checksum = checksum + rbuf(i) * dble(mod(i, 3))
    end do
    do i = 1, length
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
      sbuf(i) = sbuf(i) + rbuf(i)
    end do
  end do
  call mpi_request_free(incoming, ierr)
  call mpi_request_free(outgoing, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program persistent_length_received
