! A message that is on its way is written by a procedure whose dummy array may have any rank.
! expect: without sink-wait
module filling
  implicit none
contains
  subroutine fill(array)
    double precision, intent(inout) :: array(..)

    select rank (array)
    rank (1)
      array = 1.0d0
    rank (2)
      array(:, 2:) = -1.0d0
    end select
  end subroutine fill
end module filling

program any_rank_writes_message
  use mpi
  use filling
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

  call mpi_irecv(rbuf, size(rbuf), mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  do i = 1, 2*n
    sbuf(:, i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, size(sbuf), mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call fill(sbuf)
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
end program any_rank_writes_message
