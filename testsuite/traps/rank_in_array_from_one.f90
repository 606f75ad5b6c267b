! An array stands for its first element where a rank is taken, whose number nothing says.
! expect: handled
program rank_in_array_from_one
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n)
  integer :: request, status(mpi_status_size), neighbours(2)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  neighbours(1) = prev
  neighbours(2) = next
  do i = 1, n
    sbuf(i) = dble(rank + 1)*dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, neighbours, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr) ! trapped

  do i = 1, n
    checksum = checksum + rbuf(i)*dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program rank_in_array_from_one
