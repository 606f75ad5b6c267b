! The second length of the part is the second element of an array that stands in the constructor; the constructor's second
! entry would make the part too narrow for what is read behind the wait.
! expect: without sink-wait
program datatype_of_constructor
  use mpi
  implicit none

  integer, parameter :: m = 300
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: part, sizes(2), lengths(3), starts(2), pair(2)
  double precision :: u(m, m), s(m, m), w(m, m)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  u = dble(rank + 1)
  w = 1.0d0
  s = dble(3 * rank + 5)
  pair = [250, 200]
  sizes = m
  starts = 0
  lengths = [pair, 7]
  lengths(1) = 100
  call mpi_type_create_subarray(2, sizes, lengths, starts, mpi_order_fortran, mpi_double_precision, part, ierr)
  call mpi_type_commit(part, ierr)
  call mpi_irecv(u, 1, part, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(s, 1, part, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = u(50, 150)
  w = w * 2.0d0
  checksum = checksum + sum(u) + sum(w)
  call mpi_type_free(part, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_of_constructor
