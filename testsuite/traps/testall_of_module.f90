! Another procedure tests the requests of a module until all are complete.
! expect: handled
module pending
  implicit none
  integer :: requests(2)
contains
  subroutine finish
    use mpi
    integer :: ierr
    logical :: are_complete

    are_complete = .false.
    do while (.not. are_complete)
      call mpi_testall(2, requests, are_complete, mpi_statuses_ignore, ierr)
    end do
  end subroutine finish
end module pending

program testall_of_module
  use mpi
  use pending
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: more(2)
  double precision :: sbuf(n), rbuf(n), other(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  call finish
  call mpi_irecv(other, n, mpi_double_precision, prev, 2, mpi_comm_world, more(1), ierr)
  call mpi_isend(sbuf, n, mpi_double_precision, next, 2, mpi_comm_world, more(2), ierr)
  call mpi_waitall(2, more, mpi_statuses_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + other(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program testall_of_module
