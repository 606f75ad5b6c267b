! The tag comes from an array to which a DATA statement gives MPI_ANY_TAG, the source from a constant array with
! MPI_ANY_SOURCE: no statement that is executed names them.
! expect: handled
program any_tag_by_data
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, source, tag, tags(2)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)
  integer, parameter :: sources(2) = [1, mpi_any_source]
  data tags /3, mpi_any_tag/

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  source = sources(1 + min(ranks, 1))
  tag = tags(1 + min(ranks, 1))
  call mpi_irecv(rbuf, n, mpi_double_precision, source, tag, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_tag_by_data
