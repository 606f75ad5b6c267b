! The tag of what comes from nobody is MPI_ANY_TAG, which the program names nowhere: a receive with it takes any.
! expect: handled
program tag_of_nobody
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, source, tag, i
  integer :: status(mpi_status_size), earlier(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), nothing(1)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  source = mpi_proc_null
  call mpi_recv(nothing, 1, mpi_double_precision, source, 1, mpi_comm_world, earlier, ierr)
  tag = earlier(mpi_tag)

  call mpi_irecv(rbuf, n, mpi_double_precision, prev, tag, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr) ! trapped
  checksum = dble(status(mpi_tag))
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program tag_of_nobody
