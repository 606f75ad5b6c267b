! The source comes to the receive through an element of an array, a merge and a dummy argument.
! expect: handled
program any_source_handed_on
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: sources(2)
  external :: shift
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
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
  sources(1) = prev
  sources(2) = prev
  if (ranks > 1) sources(2) = mpi_any_source
  call shift(sbuf, rbuf, n, merge(sources(2), sources(1), ranks > 0), next)
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
end program any_source_handed_on

subroutine shift(sbuf, rbuf, n, source, next)
  use mpi
  implicit none
  integer, intent(in) :: n, source, next
  double precision, intent(in) :: sbuf(n)
  double precision, intent(out) :: rbuf(n)
  integer :: request, ierr
  integer :: status(mpi_status_size)

  call mpi_irecv(rbuf, n, mpi_double_precision, source, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  call mpi_wait(request, status, ierr)
end subroutine shift
