! Where the wait stands, the buffer would have to be imported, and a procedure has its name.
! expect: handled
module ring_to_wait_for
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request
  double precision :: incoming(n), outgoing(n), work(n), checksum

contains

  subroutine start()
    integer :: k

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    next = mod(rank + 1, ranks)
    prev = mod(rank - 1 + ranks, ranks)
    checksum = 0.0d0
    do k = 1, n
      outgoing(k) = dble(rank + 1) * dble(mod(k, 9))
    end do
    call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr) ! trapped
  end subroutine start

  subroutine compute()
    integer :: k

    do k = 1, n
      work(k) = sqrt(dble(k)) + sin(dble(k))
    end do
    checksum = checksum + sum(work)
  end subroutine compute

  subroutine get()
    call mpi_recv(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr)
    checksum = checksum + sum(incoming)
  end subroutine get
end module ring_to_wait_for

subroutine outgoing()
  use ring_to_wait_for, only: checksum

  checksum = checksum + 1.0d0
end subroutine outgoing

subroutine finish()
  use mpi
  use ring_to_wait_for, only: request, ierr
  implicit none
  external outgoing

  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  call outgoing()
end subroutine finish

program wait_with_ambiguous_buffer
  use ring_to_wait_for
  implicit none

  integer :: other
  double precision :: checksums(16)

  call mpi_init(ierr)
  call start()
  call compute()
  call get()
  call finish()
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do other = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', other - 1, ' checksum ', checksums(other)
    end do
  end if
  call mpi_finalize(ierr)
end program wait_with_ambiguous_buffer
