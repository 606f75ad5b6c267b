! One of the requests that a wait completes belongs to a message of a datatype whose elements could lie
! before the buffer, which stays with MPI. The others have to stay with it, or the wait would have to be in two places.
! expect: handled
program waitall_mixture
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n), sbuf2(n), rbuf2(n)
  integer :: requests(4), every_other, stride
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    sbuf2(i) = dble(rank + 1) + dble(mod(i, 4))
    rbuf2(i) = 0.0d0
  end do
  stride = 2
  call mpi_bcast(stride, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_type_vector(n / 2, 1, stride, mpi_double_precision, every_other, ierr)
  call mpi_type_commit(every_other, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_irecv(rbuf2, 1, every_other, prev, 2, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr) ! trapped
  call mpi_isend(sbuf2, 1, every_other, next, 2, mpi_comm_world, requests(4), ierr) ! trapped
  call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
  call mpi_type_free(every_other, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) - rbuf2(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program waitall_mixture
