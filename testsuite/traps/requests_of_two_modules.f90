! Requests of two modules have one name, and the main program sees both modules: what stands for them needs two.
! expect: handled
module second_ring
  use mpi
  implicit none
  integer, parameter :: length = 10000
  integer, private :: request
  double precision :: received(length), sent(length)

contains

  subroutine start_second(next, prev, checksum)
    integer, intent(in) :: next, prev
    double precision, intent(inout) :: checksum
    integer :: k, ierr

    do k = 1, length
      sent(k) = dble(mod(k, 9))
    end do
    call mpi_isend(sent, length, mpi_double_precision, next, 2, mpi_comm_world, request, ierr) ! trapped
    call mpi_recv(received, length, mpi_double_precision, prev, 2, mpi_comm_world, mpi_status_ignore, ierr)
    checksum = checksum + sum(received)
  end subroutine start_second

  subroutine finish_second()
    integer :: ierr

    call mpi_wait(request, mpi_status_ignore, ierr)
  end subroutine finish_second
end module second_ring

module first_ring
  use second_ring, only: start_second, finish_second
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
end module first_ring

program requests_of_two_modules
  use first_ring
  use second_ring
  implicit none

  integer :: other
  double precision :: checksums(16)

  call mpi_init(ierr)
  call start()
  call start_second(next, prev, checksum)
  call compute()
  call get()
  call finish_second()
  call mpi_wait(request, mpi_status_ignore, ierr)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do other = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', other - 1, ' checksum ', checksums(other)
    end do
  end if
  call mpi_finalize(ierr)
end program requests_of_two_modules
