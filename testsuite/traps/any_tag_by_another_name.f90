! MPI_ANY_TAG under the name of a PARAMETER.
! ranks: 2 4
! expect: handled
program any_tag_by_another_name
  use mpi
  implicit none

  integer, parameter :: whatever = mpi_any_tag
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: first(n), second(n), buffer(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    first(i) = dble(rank + 1) * dble(mod(i, 9))
    second(i) = dble(rank + 1) * dble(mod(i, 11))
  end do
  checksum = 0.0d0
  if (mod(rank, 2) == 0) then
    call mpi_send(first, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call mpi_send(second, n, mpi_double_precision, next, 2, mpi_comm_world, ierr) ! trapped
  end if
  if (mod(prev, 2) == 0) then
    do i = 1, 2
      call mpi_recv(buffer, n, mpi_double_precision, prev, whatever, mpi_comm_world, status, ierr) ! trapped
      checksum = checksum + buffer(10) * dble(status(mpi_tag))
    end do
  end if

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_tag_by_another_name
