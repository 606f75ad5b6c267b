! A section becomes a dummy array of any rank, which hands it on as an array of another shape: a part of the message is read.
! expect: without sink-wait
module looking
  implicit none
contains
  recursive subroutine look(array, found)
    double precision, intent(in) :: array(..)
    double precision, intent(inout) :: found

    select rank (array)
    rank (0)
      found = found + array
    rank (1)
      call look(array(size(array)), found)
    rank (2)
      call look(array(:, size(array, 2)), found)
    end select
  end subroutine look
end module looking

program any_rank_of_section
  use mpi
  use looking
  implicit none

  integer, parameter :: n = 100
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request
  double precision :: checksum, checksums(max_ranks)
  double precision :: sbuf(n, 2*n), rbuf(n, 2*n)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  rbuf = 0.0d0
  do i = 1, 2*n
    sbuf(:, i) = dble(rank + 1) * dble(mod(i, 9) + 1)
  end do

  call mpi_isend(sbuf, size(sbuf), mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(rbuf, size(rbuf), mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  call look(rbuf(::3, n:), checksum)
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, 2*n
    checksum = checksum + sum(rbuf(:, i)) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_rank_of_section
