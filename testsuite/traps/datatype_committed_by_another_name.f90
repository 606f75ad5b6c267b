! The handle has been copied, by another name of its place in a COMMON block, before the datatype is committed: no post goes above that.
! expect: without hoist-receive strip-mine-producer
program datatype_committed_by_another_name
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request, made, pair
  common /handles/ pair
  double precision :: a(n), b(n), c(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  a = dble(rank + 1)
  c = 0.0d0
  call mpi_type_contiguous(1, mpi_double_precision, made, ierr)
  call remember(made)
  do i = 1, n
    b(i) = a(i) * 0.5d0 + dble(i)
  end do
  call finish(made)
  call mpi_irecv(c, n, pair, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(b, n, pair, next, 1, mpi_comm_world, ierr) ! trapped
  do i = 1, n
    a(i) = a(i) * 0.75d0
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = sum(a) + sum(b)
  do i = 1, n
    checksum = checksum + c(i) * dble(mod(i, 13))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
contains
  subroutine finish(datatype)
    integer, intent(inout) :: datatype
    call mpi_type_commit(datatype, ierr)
  end subroutine finish
end program datatype_committed_by_another_name

subroutine remember(handle)
  implicit none
  integer, intent(in) :: handle
  integer :: handles(1)
  common /handles/ handles
  handles(1) = handle
end subroutine remember
